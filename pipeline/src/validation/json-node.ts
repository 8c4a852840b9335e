import { Problem } from '@cloche/contract/problem';
import { quoteUntrusted } from '@cloche/contract/untrusted-text';

/**
 * A value of untrusted JSON with its path.
 *
 * Every method that reads checks the type, and its error message has the path
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

  /** The path for error messages, such as `meshes[0].primitives[2].attributes.POSITION`. */
  get path(): string {
    if (this.#parent === undefined) return 'The JSON';
    const parentPath = this.#parent.#parent === undefined ? '' : this.#parent.path;
    if (typeof this.#key === 'number') return `${parentPath}[${this.#key}]`;
    if (!/^\w{1,60}$/.test(this.#key)) return `${parentPath}[${quoteUntrusted(this.#key)}]`;
    return parentPath === '' ? this.#key : `${parentPath}.${this.#key}`;
  }

  /**
   * Refuses the value.
   *
   * @param predicate completes the sentence that starts with the path: 'is not finite'
   */
  fail(reason: string, predicate: string): never {
    const path = this.path;
    const shortPath = path.length > 200 ? `…${path.slice(-200)}` : path;
    throw new Problem('design.unreadable', { detail: `${shortPath} ${predicate}.`, reason });
  }

  /** The member with that name; undefined if there is none. */
  find(key: string): JsonNode | undefined {
    const object = this.object().value as Record<string, unknown>;
    return Object.hasOwn(object, key) ? new JsonNode(object[key], this, key) : undefined;
  }

  /** The member with that name, which must exist. */
  get(key: string): JsonNode {
    return this.find(key) ?? this.fail('missing', `has no ${key}`);
  }

  /** The members of an object. */
  entries(): [key: string, member: JsonNode][] {
    const members = Object.entries(this.object().value as Record<string, unknown>);
    return members.map(([key, value]) => [key, new JsonNode(value, this, key)]);
  }

  /** The items of an array. */
  items(): JsonNode[] {
    if (!Array.isArray(this.value)) this.#failType('an array');
    return this.value.map((item, index) => new JsonNode(item, this, index));
  }

  /** This node, after checking that it is an object. */
  object(): this {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.#failType('an object');
    }
    return this;
  }

  integer(min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#failType('an integer');
    if (value < min || value > max) {
      this.fail('range', `is ${value}; it must be from ${min} to ${max}`);
    }
    return value;
  }

  /** The item of `list` at this index. `label` names the items in the error message. */
  resolveIndex<T>(list: readonly T[], label: string): T {
    const { value } = this;
    if (typeof value !== 'number' || !Number.isInteger(value)) this.#failType('an index');
    const item = list[value];
    if (item === undefined) {
      this.fail('index', `is ${value}, but the file has ${list.length} ${label}`);
    }
    return item;
  }

  number(): number {
    if (typeof this.value !== 'number') this.#failType('a number');
    return this.value;
  }

  /** An array of numbers, with exactly `length` items if given. */
  numbers(length?: number): number[] {
    const { value } = this;
    const isNumbers = Array.isArray(value) && value.every((item) => typeof item === 'number');
    if (!isNumbers) this.#failType('an array of numbers');
    if (length !== undefined && value.length !== length) {
      this.fail('length', `has ${value.length} numbers; it must have ${length}`);
    }
    return value;
  }

  string(): string {
    if (typeof this.value !== 'string') this.#failType('a string');
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

  #failType(expected: string): never {
    const { value } = this;
    const actual =
      typeof value === 'string'
        ? quoteUntrusted(value)
        : Array.isArray(value)
          ? 'an array'
          : typeof value === 'object' && value !== null
            ? 'an object'
            : String(value);
    this.fail('type', `is ${actual}; it must be ${expected}`);
  }
}
