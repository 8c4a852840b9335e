import { readFileSync } from 'node:fs';
import { type AddressRange, parseAddressRange } from './http/client-address.ts';

/** Environment variables by name. */
export type Environment = Record<string, string | undefined>;

/** An invalid setting. The message names the variable, what is wrong, and a correction. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Returns the value without surrounding spaces. An empty value is an error, not the default. @throws {ConfigError} */
export function readText(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  if (text === '') throw new ConfigError(`${name} is empty. Give it a value, or leave it out.`);
  return text;
}

/** Reads a whole number. @throws {ConfigError} */
export function readInteger(
  env: Environment,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const text = readText(env, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(`${name} is "${text}". It must be a whole number from ${min} to ${max}.`);
}

/** Reads a list of addresses and ranges. @throws {ConfigError} */
export function readAddressRanges(env: Environment, name: string): AddressRange[] {
  const text = readText(env, name);
  return (text?.split(',') ?? []).map((item) => {
    const range = parseAddressRange(item.trim());
    if (range !== undefined) return range;
    throw new ConfigError(
      `${name} contains "${item.trim()}". Each item must be an address or a range, such as "127.0.0.1, ::1, 10.0.0.0/8".`,
    );
  });
}

/** Parses an origin. @throws {ConfigError} */
export function parseUrl(input: string, name: string): string {
  const text = input.replace(/\/$/, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const normalized = text.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, '$1$2');
  if (/^https?:\/\/[a-z0-9.:[\]-]+$/.test(normalized) && url?.origin === normalized)
    return normalized;
  throw new ConfigError(
    `${name} is "${text}". It must be a scheme, a host and an optional port, such as "https://cloche.example.com", with no path and no query.`,
  );
}

/** Reads a key in hexadecimal, or the file in `NAME_FILE`. @throws {ConfigError} */
export function readKey(env: Environment, name: string): Buffer | undefined {
  const text = readSecret(env, name);
  if (text === undefined) return undefined;
  const key = /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.alloc(0);
  if (key.length >= 32) return key;
  throw new ConfigError(
    `${name} must be at least 32 random bytes in hexadecimal. Create them with "openssl rand -hex 32".`,
  );
}

/** Reads a secret from the variable `NAME`, or from the file in `NAME_FILE`. @throws {ConfigError} */
export function readSecret(env: Environment, name: string): string | undefined {
  const text = readText(env, name);
  const file = readText(env, `${name}_FILE`);
  if (text !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${name}_FILE are both set. Set only one of them.`);
  }
  if (file === undefined) return text;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `${name}_FILE is "${file}", which cannot be read (${code}). Set the path of a file that this user can read, or set ${name} instead.`,
    );
  }
}
