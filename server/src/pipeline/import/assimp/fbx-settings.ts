import { type FbxRecord, isBinary, readRecords, readValues } from './fbx-records.ts';

/** How an FBX stands to metres with Y up; axes are 0, 1, 2 for x, y, z, with a sign. */
export type FbxSettings = {
  version: number;
  /** Centimetres in a unit. */
  unit: number;
  up: SignedAxis;
  right: SignedAxis;
};

export type SignedAxis = { axis: number; sign: number };

/** The settings come early and are short; text behind that is not searched. */
const MOST_TEXT = 20_000;

/** Reads the unit and the axes from an FBX, binary or ASCII, which assimp reads but does not apply. */
export function readFbxSettings(bytes: Buffer): FbxSettings {
  const inBinary = isBinary(bytes);
  const version = inBinary ? bytes.readUInt32LE(23) : versionOfText(bytes);
  const numbers = inBinary ? readBinary(bytes) : readText(bytes);
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

function readBinary(bytes: Buffer): Map<string, number> {
  const numbers = new Map<string, number>();
  const settings = named(readRecords(bytes), 'GlobalSettings');
  const properties = settings && named(readRecords(bytes, settings), 'Properties70');
  if (!properties) return numbers;
  for (const record of readRecords(bytes, properties)) {
    const values = readValues(bytes, record);
    const [name, value] = [values[0], values[4]];
    if (typeof name === 'string' && typeof value === 'number') numbers.set(name, value);
  }
  return numbers;
}

function named(records: Iterable<FbxRecord>, name: string): FbxRecord | undefined {
  for (const record of records) if (record.name === name) return record;
  return undefined;
}
