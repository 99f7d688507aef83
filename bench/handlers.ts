/** What the measured handler does: it reads one record and writes one. Its twin by hand is in `handwritten/resources.ts`. */

interface Context {
  readonly record: { readonly id: string; readonly site: string };
  readonly records: {
    readonly Site: { get(id: string): Promise<{ readonly name: string } | undefined> };
    readonly Parcel: { update(id: string, changes: object): Promise<unknown> };
  };
}

/** Another text each time, since what does not change is not written. */
let count = 0;

export default {
  async forwardParcel({ record, records }: Context): Promise<void> {
    const site = await records.Site.get(record.site);
    const desk = (site?.name ?? "desk").replace(/\W+/g, "-");
    await records.Parcel.update(record.id, { recipientEmail: `${desk}-${++count}@desks.example` });
  },
};
