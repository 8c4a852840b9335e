import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

/**
 * One value of the file's JSON with the place it stands at, read as what it should be.
 *
 * Nothing is believed: every reader checks the type, and a complaint says where
 * (`accessors[3].bufferView is 17, but the file has 4 buffer views`).
 *
 * @throws {Problem} design.unreadable, from every method that reads
 */
export class JsonNode {
  readonly value: unknown;
  readonly #parent: JsonNode | undefined;
  readonly #key: string | number;

  constructor(value: unknown, parent?: JsonNode, key: string | number = '') {
    this.value = value;
    this.#parent = parent;
    this.#key = key;
  }

  /** `meshes[0].primitives[2].attributes.POSITION`; made only when somebody complains. */
  get path(): string {
    if (this.#parent === undefined) return 'The JSON';
    const before = this.#parent.#parent === undefined ? '' : this.#parent.path;
    if (typeof this.#key === 'number') return `${before}[${this.#key}]`;
    if (!/^\w{1,60}$/.test(this.#key)) return `${before}[${quoteUntrusted(this.#key)}]`;
    return before === '' ? this.#key : `${before}.${this.#key}`;
  }

  fail(reason: string, complaint: string): never {
    const path = this.path;
    const where = path.length > 200 ? `…${path.slice(-200)}` : path;
    throw new Problem('design.unreadable', { detail: `${where} ${complaint}.`, reason });
  }

  /** The member of that name, or undefined when there is none. */
  find(key: string): JsonNode | undefined {
    const object = this.object().value as Record<string, unknown>;
    return Object.hasOwn(object, key) ? new JsonNode(object[key], this, key) : undefined;
  }

  get(key: string): JsonNode {
    return this.find(key) ?? this.fail('missing', `has no ${key}`);
  }

  /** The members of an object. */
  entries(): [key: string, part: JsonNode][] {
    const members = Object.entries(this.object().value as Record<string, unknown>);
    return members.map(([key, value]) => [key, new JsonNode(value, this, key)]);
  }

  /** The items of a list. */
  items(): JsonNode[] {
    if (!Array.isArray(this.value)) this.#failType('a list');
    return this.value.map((item, index) => new JsonNode(item, this, index));
  }

  /** Itself, known to be an object. */
  object(): this {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#failType('an object');
    }
    return this;
  }

  integer(min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#failType('a whole number');
    if (value < min || value > max) {
      this.fail('range', `is ${value}; it must be from ${min} to ${max}`);
    }
    return value;
  }

  /** The item of `list` that this number points at. `things` names them in a complaint. */
  resolveIndex<T>(list: readonly T[], things: string): T {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#failType('an index');
    const item = list[value];
    if (item === undefined) {
      this.fail('index', `is ${value}, but the file has ${list.length} ${things}`);
    }
    return item;
  }

  number(): number {
    if (typeof this.value !== 'number') this.#failType('a number');
    return this.value;
  }

  /** A list of numbers; of exactly `length` if that is given. */
  numbers(length?: number): number[] {
    const { value } = this;
    const isNumbers = Array.isArray(value) && value.every((item) => typeof item === 'number');
    if (!isNumbers) this.#failType('a list of numbers');
    if (length !== undefined && value.length !== length) {
      this.fail('length', `has ${value.length} numbers; it must have ${length}`);
    }
    return value;
  }

  string(): string {
    if (typeof this.value !== 'string') this.#failType('a text');
    return this.value;
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') this.#failType('true or false');
    return this.value;
  }

  oneOf<T extends string | number>(...choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.value);
    return found ?? this.#failType(`one of ${choices.join(', ')}`);
  }

  #failType(what: string): never {
    const { value } = this;
    const shown =
      typeof value === 'string'
        ? quoteUntrusted(value)
        : Array.isArray(value)
          ? 'a list'
          : typeof value === 'object' && value !== null
            ? 'an object'
            : String(value);
    this.fail('type', `is ${shown}; it must be ${what}`);
  }
}
