/**
 * The words of one-line forms that the model keeps as text, from the lists that the readers take them from: each a path
 * below the member that holds the text.
 */
export function grammar(): readonly string[] {
  return [];
}
