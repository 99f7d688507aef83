/** The move, which its generated routes cannot guard: a conditional update under the rules of the configuration. */
export default async function (app) {
  const { entities } = app.platformatic;
  app.get("/readyz", async () => ({}));
  app.post("/parcels/:id/drop-off", async (request, reply) => {
    const [parcel] = await entities.parcel.updateMany({
      ctx: { app, reply },
      where: { id: { eq: request.params.id }, state: { eq: "announced" } },
      input: { state: "stored" },
    });
    return parcel ?? reply.code(409).send({ message: "not announced" });
  });
}
