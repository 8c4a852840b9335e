import { rename } from 'node:fs/promises';

/** Does what `cloche-server move` has printed. Returns the new settings, without secrets that it does not print. */
export async function changeSettings(
  settings: Record<string, string>,
  printed: string,
): Promise<Record<string, string>> {
  const changed = { ...settings };
  for (const [, name = '', value = ''] of printed.matchAll(/^Set (CLOCHE_\w+)=(.*)$/gm))
    changed[name] = value;
  for (const [, names = ''] of printed.matchAll(/^Remove (.*)$/gm)) {
    for (const [name] of names.matchAll(/CLOCHE_\w+/g)) {
      delete changed[name];
      delete changed[`${name}_FILE`];
    }
  }
  for (const [, folder = ''] of printed.matchAll(/^Rename "(.*)":/gm))
    await rename(folder, `${folder}-old`);
  return changed;
}
