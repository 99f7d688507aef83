CREATE TYPE parcel_size AS ENUM ('small', 'medium', 'large');
CREATE TYPE parcel_state AS ENUM ('announced', 'stored');
CREATE TABLE parcels (
  id SERIAL PRIMARY KEY,
  courier VARCHAR(64),
  site VARCHAR(40) NOT NULL CHECK (length(site) >= 1),
  size parcel_size NOT NULL,
  tracking_number VARCHAR(40) NOT NULL UNIQUE CHECK (length(tracking_number) >= 6),
  recipient_email VARCHAR(254) NOT NULL CHECK (recipient_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  weight_kg DOUBLE PRECISION NOT NULL CHECK (weight_kg BETWEEN 0.1 AND 30),
  note VARCHAR(200),
  state parcel_state NOT NULL DEFAULT 'announced',
  created_at TIMESTAMP NOT NULL DEFAULT now()
);
CREATE INDEX parcels_newest ON parcels (courier, created_at DESC, id DESC);
