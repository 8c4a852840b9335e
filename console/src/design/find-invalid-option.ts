/** Focuses the first control with an invalid value, and returns the name of its option. */
export function findInvalidOption(controls: HTMLElement | null): string | undefined {
  const input = controls?.querySelector<HTMLElement>('[aria-invalid="true"]');
  if (!input) return undefined;
  const group = input.closest('details');
  if (group) group.open = true;
  input.focus();
  const label = input.closest('.option')?.querySelector('.option-label, .option-heading label');
  return label?.textContent ?? '';
}
