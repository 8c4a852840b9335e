import { ApiError } from '../api/api-error.ts';
import { texts } from '../i18n/en.ts';

/**
 * Describes an error in words, with one text for each field that is wrong.
 *
 * The service names fields as requests do: `origins[1]: …`. People see the label of the form: `Origins, entry 2: …`.
 */
export function listErrorTexts(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  const problem = error instanceof ApiError ? error.problem : undefined;
  if (problem === undefined) return [error.message];
  const errors = problem.errors?.length ? problem.errors : [problem];
  return errors.map(({ detail, field }) => withLabel(detail, field));
}

function withLabel(detail: string, field: string | undefined): string {
  if (field === undefined || !detail.startsWith(`${field}: `)) return detail;
  const match = /^(?:(?:body|query|viewer|options)\.)?(\w+)(?:\[(\d+)\])?$/.exec(field);
  const [, name = '', index] = match ?? [];
  const label = Object.hasOwn(texts.fields.labels, name) ? texts.fields.labels[name] : undefined;
  if (label === undefined) return detail;
  const shown = index === undefined ? label : texts.fields.entry(label, Number(index) + 1);
  return shown + detail.slice(field.length);
}
