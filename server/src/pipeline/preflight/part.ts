import { Problem } from '@cloche/contract/problem';
import { quote } from './quote.ts';

/**
 * One value of the file's JSON with the place it stands at, read as what it should be.
 *
 * Nothing is believed: every reader checks the type, and a complaint says where
 * (`accessors[3].bufferView is 17, but the file has 4 buffer views`).
 *
 * @throws {Problem} design.unreadable, from every method that reads
 */
export class Part {
  readonly value: unknown;
  readonly #parent: Part | undefined;
  readonly #key: string | number;

  constructor(value: unknown, parent?: Part, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
  }

  /** `meshes[0].primitives[2].attributes.POSITION`; made only when somebody complains. */
  get path(): string {
    if (this.#parent === undefined) return 'The JSON';
    const before = this.#parent.#parent === undefined ? '' : this.#parent.path;
    if (typeof this.#key === 'number') return `${before}[${this.#key}]`;
    if (!/^\w{1,60}$/.test(this.#key)) return `${before}[${quote(this.#key)}]`;
    return before === '' ? this.#key : `${before}.${this.#key}`;
  }

  fail(reason: string, complaint: string): never {
    const path = this.path;
    const where = path.length > 200 ? `…${path.slice(-200)}` : path;
    throw new Problem('design.unreadable', { detail: `${where} ${complaint}.`, reason });
  }

  /** The member of that name, or undefined when there is none. */
  find(key: string): Part | undefined {
    const object = this.object().value as Record<string, unknown>;
    return Object.hasOwn(object, key) ? new Part(object[key], this, key) : undefined;
  }

  get(key: string): Part {
    return this.find(key) ?? this.fail('missing', `has no ${key}`);
  }

  /** The members of an object. */
  entries(): [key: string, part: Part][] {
    const members = Object.entries(this.object().value as Record<string, unknown>);
    return members.map(([key, value]) => [key, new Part(value, this, key)]);
  }

  /** The items of a list. */
  items(): Part[] {
    if (!Array.isArray(this.value)) this.#isNot('a list');
    return this.value.map((item, index) => new Part(item, this, index));
  }

  /** Itself, known to be an object. */
  object(): this {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#isNot('an object');
    }
    return this;
  }

  integer(min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#isNot('a whole number');
    if (value < min || value > max) {
      this.fail('range', `is ${value}; it must be from ${min} to ${max}`);
    }
    return value;
  }

  /** The item of `list` that this number points at. `things` names them in a complaint. */
  pick<T>(list: readonly T[], things: string): T {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#isNot('an index');
    const item = list[value];
    if (item === undefined) {
      this.fail('index', `is ${value}, but the file has ${list.length} ${things}`);
    }
    return item;
  }

  number(): number {
    if (typeof this.value !== 'number') this.#isNot('a number');
    return this.value;
  }

  /** A list of numbers; of exactly `length` if that is given. */
  numbers(length?: number): number[] {
    const { value } = this;
    const isNumbers = Array.isArray(value) && value.every((item) => typeof item === 'number');
    if (!isNumbers) this.#isNot('a list of numbers');
    if (length !== undefined && value.length !== length) {
      this.fail('length', `has ${value.length} numbers; it must have ${length}`);
    }
    return value;
  }

  text(): string {
    if (typeof this.value !== 'string') this.#isNot('a text');
    return this.value;
  }

  flag(): boolean {
    if (typeof this.value !== 'boolean') this.#isNot('true or false');
    return this.value;
  }

  choice<T extends string | number>(...choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.value);
    return found ?? this.#isNot(`one of ${choices.join(', ')}`);
  }

  #isNot(what: string): never {
    const { value } = this;
    const shown =
      typeof value === 'string'
        ? quote(value)
        : Array.isArray(value)
          ? 'a list'
          : typeof value === 'object' && value !== null
            ? 'an object'
            : String(value);
    this.fail('type', `is ${shown}; it must be ${what}`);
  }
}
