/** How an FBX stands to metres with Y up; axes are 0, 1, 2 for x, y, z, with a sign. */
export type FbxSettings = {
  version: number;
  /** Centimetres in a unit. */
  unit: number;
  up: SignedAxis;
  right: SignedAxis;
};

export type SignedAxis = { axis: number; sign: number };

const BINARY = 'Kaydara FBX Binary';
/** Files from then on have offsets of 64 bits. */
const WIDE_VERSION = 7500;
/** The settings come early and are short; text behind that is not searched. */
const MOST_TEXT = 20_000;

/** Reads the unit and the axes from an FBX, binary or ASCII, which assimp reads but does not apply. */
export function readFbxSettings(bytes: Buffer): FbxSettings {
  const isBinary = bytes.toString('latin1', 0, BINARY.length) === BINARY;
  const version = isBinary ? bytes.readUInt32LE(23) : versionOfText(bytes);
  const numbers = isBinary ? readBinary(bytes, version) : readText(bytes);
  const axis = (name: string, usual: number): SignedAxis => {
    const found = numbers.get(`${name}Axis`) ?? usual;
    return {
      axis: [0, 1, 2].includes(found) ? found : usual,
      sign: (numbers.get(`${name}AxisSign`) ?? 1) < 0 ? -1 : 1,
    };
  };
  const unit = numbers.get('UnitScaleFactor') ?? 1;
  return {
    version,
    unit: Number.isFinite(unit) && unit > 0 ? unit : 1,
    up: axis('Up', 1),
    right: axis('Coord', 0),
  };
}

function versionOfText(bytes: Buffer): number {
  return Number(/FBXVersion:\s*(\d+)/.exec(bytes.toString('latin1', 0, MOST_TEXT))?.[1] ?? 0);
}

function readText(bytes: Buffer): Map<string, number> {
  const start = bytes.indexOf('GlobalSettings:');
  if (start < 0) return new Map();
  const text = bytes.toString('latin1', start, start + MOST_TEXT);
  const settings = /P: *"(\w+)", *"\w*", *"\w*", *"\w*", *(-?[\d.]+)/g;
  return new Map(
    [...text.matchAll(settings)]
      .map(([, name = '', value]) => [name, Number(value)] as const)
      .reverse(),
  );
}

type Record = { name: string; end: number; values: number; count: number; inside: number };

function readBinary(bytes: Buffer, version: number): Map<string, number> {
  const numbers = new Map<string, number>();
  const settings = find(bytes, version, { start: 27, end: bytes.length, name: 'GlobalSettings' });
  const properties =
    settings &&
    find(bytes, version, { start: settings.inside, end: settings.end, name: 'Properties70' });
  if (!properties) return numbers;
  for (const record of records(bytes, version, properties.inside, properties.end)) {
    const values = readValues(bytes, record);
    const [name, value] = [values[0], values[4]];
    if (typeof name === 'string' && typeof value === 'number') numbers.set(name, value);
  }
  return numbers;
}

function find(
  bytes: Buffer,
  version: number,
  { start, end, name }: { start: number; end: number; name: string },
): Record | undefined {
  for (const record of records(bytes, version, start, end)) if (record.name === name) return record;
  return undefined;
}

/** The records from a place on, until the empty one that ends a list. */
function* records(bytes: Buffer, version: number, start: number, limit: number): Generator<Record> {
  const width = version >= WIDE_VERSION ? 8 : 4;
  const read = (at: number) =>
    width === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at);
  for (let at = start; at + 3 * width + 1 <= limit; ) {
    const end = read(at);
    const nameLength = bytes.readUInt8(at + 3 * width);
    const values = at + 3 * width + 1 + nameLength;
    const inside = values + read(at + 2 * width);
    if (end <= at || end > limit || inside > end) return;
    yield {
      name: bytes.toString('latin1', values - nameLength, values),
      end,
      values,
      count: read(at + width),
      inside,
    };
    at = end;
  }
}

/** The values of a record as far as settings have them: strings and single numbers. */
function readValues(bytes: Buffer, { values, count, inside }: Record): (string | number)[] {
  const found: (string | number)[] = [];
  for (let at = values; found.length < count && at < inside; ) {
    const type = bytes.toString('latin1', at, at + 1);
    at += 1;
    if (type === 'S') {
      const length = bytes.readUInt32LE(at);
      found.push(bytes.toString('latin1', at + 4, Math.min(at + 4 + length, inside)));
      at += 4 + length;
    } else if (type === 'I') at = found.push(bytes.readInt32LE(at)) && at + 4;
    else if (type === 'D') at = found.push(bytes.readDoubleLE(at)) && at + 8;
    else if (type === 'F') at = found.push(bytes.readFloatLE(at)) && at + 4;
    else if (type === 'L') at = found.push(Number(bytes.readBigInt64LE(at))) && at + 8;
    else return found;
  }
  return found;
}
