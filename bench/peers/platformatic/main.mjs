/** `node main.mjs PORT DATABASE`: Platformatic DB as its configuration and its migration describe the parcels. */
import { create } from "@platformatic/db";

const [port, connectionString] = process.argv.slice(2);
const own = { courier: "X-PLATFORMATIC-USER-ID" };
const service = await create(
  import.meta.dirname,
  {
    server: { hostname: "127.0.0.1", port: Number(port), logger: { level: "error" } },
    db: {
      connectionString,
      // What the scenarios do not use. A pool of ten is the default of its driver and of Nonet.
      graphql: false,
      events: false,
      ignore: { versions: true },
      limit: { default: 50, max: 200 },
      poolSize: 10,
    },
    migrations: { dir: "migrations", autoApply: true },
    plugins: { paths: ["drop-off.mjs"] },
    authorization: {
      jwt: { secret: process.env["PEER_SECRET"] },
      roleKey: "role",
      rules: [
        {
          role: "courier",
          entity: "parcel",
          defaults: own,
          find: { checks: own },
          save: { checks: own },
          updateMany: { checks: own },
          delete: false,
        },
      ],
    },
  },
  { isProduction: true },
);
await service.start({ listen: true });
process.on("SIGTERM", () => process.exit(0));
