/** The name, title and purpose of the service. */
export interface PurposePart {
  readonly service: string;
  readonly title: string;
  readonly purpose: string;
}
