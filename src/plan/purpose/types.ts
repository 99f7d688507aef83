/** The types of the name, title and purpose of the service. */
export interface PurposePart {
  readonly service: string;
  readonly title: string;
  readonly purpose: string;
}
