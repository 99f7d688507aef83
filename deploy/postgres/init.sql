-- What a server is given once, when it is made: run by its superuser in the service's database, as the image of PostgreSQL does
-- with the files of /docker-entrypoint-initdb.d.
--
-- The service is the role `nonet`, which owns this database and is nothing else. What callers read is read as a second role, which
-- may only read (docs/how-to/postgres.md).
BEGIN;
DO $$
DECLARE
  -- The name by which the service looks for it: of the database, and of the schema `public`.
  reader CONSTANT text := format('nonet_reads_%s_public', current_database());
BEGIN
  -- The password that the server was made with becomes the service's. As it is stored it says nothing of whose it is.
  EXECUTE format('CREATE ROLE nonet LOGIN PASSWORD %L', (SELECT rolpassword FROM pg_catalog.pg_authid WHERE rolname = current_user));
  EXECUTE format('ALTER DATABASE %I OWNER TO nonet', current_database());
  EXECUTE format('CREATE ROLE %I NOLOGIN', reader);
  EXECUTE format('GRANT %I TO nonet', reader);
END
$$;
-- The superuser has none from now on, and is let in on the machine itself alone: docker compose exec database psql -U postgres nonet
ALTER ROLE CURRENT_USER PASSWORD NULL;
COMMIT;
