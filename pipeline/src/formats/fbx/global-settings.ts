import { type FbxRecordOffsets, isBinaryFbx, readFbxRecords, readFbxValues } from './records.ts';

/** How an FBX stands to metres with Y up; axes are 0, 1, 2 for x, y, z, with a sign. */
export type FbxGlobalSettings = {
  version: number;
  /** Centimetres in a unit. */
  unitScaleFactor: number;
  up: SignedAxis;
  right: SignedAxis;
};

export type SignedAxis = { axis: number; sign: number };

/** The settings come early and are short; text behind that is not searched. */
const MAX_SEARCHED_BYTES = 20_000;

/** Reads the unit and the axes from an FBX, binary or ASCII, which assimp reads but does not apply. */
export function readFbxGlobalSettings(bytes: Buffer): FbxGlobalSettings {
  const inBinary = isBinaryFbx(bytes);
  const version = inBinary ? bytes.readUInt32LE(23) : readAsciiVersion(bytes);
  const numbers = inBinary ? readBinarySettings(bytes) : readAsciiSettings(bytes);
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
    unitScaleFactor: Number.isFinite(unit) && unit > 0 ? unit : 1,
    up: axis('Up', 1),
    right: axis('Coord', 0),
  };
}

function readAsciiVersion(bytes: Buffer): number {
  return Number(
    /FBXVersion:\s*(\d+)/.exec(bytes.toString('latin1', 0, MAX_SEARCHED_BYTES))?.[1] ?? 0,
  );
}

function readAsciiSettings(bytes: Buffer): Map<string, number> {
  const start = bytes.indexOf('GlobalSettings:');
  if (start < 0) return new Map();
  const text = bytes.toString('latin1', start, start + MAX_SEARCHED_BYTES);
  const settings = /P: *"(\w+)", *"\w*", *"\w*", *"\w*", *(-?[\d.]+)/g;
  return new Map(
    [...text.matchAll(settings)]
      .map(([, name = '', value]) => [name, Number(value)] as const)
      .reverse(),
  );
}

function readBinarySettings(bytes: Buffer): Map<string, number> {
  const numbers = new Map<string, number>();
  const settings = findRecord(readFbxRecords(bytes), 'GlobalSettings');
  const properties = settings && findRecord(readFbxRecords(bytes, settings), 'Properties70');
  if (!properties) return numbers;
  for (const record of readFbxRecords(bytes, properties)) {
    const values = readFbxValues(bytes, record);
    const [name, value] = [values[0], values[4]];
    if (typeof name === 'string' && typeof value === 'number') numbers.set(name, value);
  }
  return numbers;
}

function findRecord(
  records: Iterable<FbxRecordOffsets>,
  name: string,
): FbxRecordOffsets | undefined {
  for (const record of records) if (record.name === name) return record;
  return undefined;
}
