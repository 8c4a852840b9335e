/**
 * Checks of the arguments of calls. They come from another page: whatever structured clone can send.
 *
 * A check returns what the value must be, or undefined if it is that.
 */
export type Check = (value: unknown) => string | undefined;

export function numberFrom(minimum: number, maximum: number): Check {
  return (value) =>
    typeof value === 'number' && value >= minimum && value <= maximum
      ? undefined
      : `must be a number from ${minimum} to ${maximum}`;
}

export function text(maxLength: number): Check {
  return (value) =>
    typeof value === 'string' && value.length <= maxLength
      ? undefined
      : `must be a string of at most ${maxLength} characters`;
}

/** A text that `parse` accepts. */
export function textParsedBy(parse: (text: string) => unknown, example: string): Check {
  return (value) =>
    typeof value === 'string' && parse(value) !== undefined
      ? undefined
      : `must be a string such as '${example}'`;
}

export const partId: Check = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'must be the id of a part';

export function oneOf(values: readonly string[]): Check {
  return (value) =>
    values.includes(value as string) ? undefined : `must be one of '${values.join("', '")}'`;
}

export function listOf(check: Check, maxLength: number): Check {
  return (value) => {
    if (!Array.isArray(value) || value.length > maxLength)
      return `must be an array of at most ${maxLength} values`;
    for (let index = 0; index < value.length; index++) {
      const wrong = check(value[index]);
      if (wrong !== undefined) return `[${index}] ${wrong}`;
    }
    return undefined;
  };
}

/** An object with some of these fields and no others. */
export function objectWith(fields: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (typeof value !== 'object' || value === null || !isPlainObject(value))
      return 'must be an object';
    for (const [name, field] of Object.entries(value)) {
      if (!Object.hasOwn(fields, name))
        return `has no field '${name.slice(0, 100)}': the fields are '${Object.keys(fields).join("', '")}'`;
      const wrong = field === undefined ? undefined : fields[name]?.(field);
      if (wrong !== undefined) return `.${name} ${wrong}`;
    }
    return undefined;
  };
}

export function nullable(check: Check): Check {
  return (value) => {
    const wrong = value === null ? undefined : check(value);
    return wrong && `${wrong}, or null`;
  };
}

export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

export function either(first: Check, second: Check): Check {
  return (value) => {
    const wrong = first(value);
    const other = wrong === undefined ? undefined : second(value);
    if (other === undefined) return undefined;
    // An object was meant: what is wrong with its fields says more.
    return typeof value === 'object' ? other : `${wrong}, or ${other.replace('must be ', '')}`;
  };
}

/** Returns what is wrong with the arguments of a method, or undefined. */
export function checkArguments(
  args: readonly unknown[],
  parameters: Readonly<Record<string, Check>>,
): string | undefined {
  const names = Object.keys(parameters);
  if (args.length > names.length)
    return `It takes at most ${names.length} arguments, not ${args.length}.`;
  for (const [index, name] of names.entries()) {
    const wrong = parameters[name]?.(args[index]);
    if (wrong !== undefined) return `'${name}'${/^[.[]/.test(wrong) ? '' : ' '}${wrong}.`;
  }
  return undefined;
}

/** Neither an array nor a Map, a Date, a Blob or another object that structured clone can send. */
function isPlainObject(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object Object]' && !Array.isArray(value);
}
