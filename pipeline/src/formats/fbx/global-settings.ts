import {
  FBX_VERSION_OFFSET,
  type FbxRecord,
  isBinaryFbx,
  readFbxProperties,
  readFbxRecords,
} from './records.ts';

/** The version, the unit and the axes of an FBX file. */
export type FbxGlobalSettings = {
  /** 7400 for FBX 7.4; 0 if the file does not contain it. */
  version: number;
  /** Centimeters per unit. */
  unitScaleFactor: number;
  up: SignedAxis;
  right: SignedAxis;
};

/** An axis (0, 1, 2 for x, y, z) and its direction (1 or -1). */
export type SignedAxis = { axis: number; sign: number };

/** Only this much text is searched, because the settings are short and near the start. */
const MAX_SEARCHED_BYTES = 20_000;

/** Reads the version, unit and axes of an FBX, binary or ASCII. assimp ignores the unit and the axes. */
export function readFbxGlobalSettings(bytes: Buffer): FbxGlobalSettings {
  const isBinary = isBinaryFbx(bytes);
  const version = isBinary ? bytes.readUInt32LE(FBX_VERSION_OFFSET) : readAsciiVersion(bytes);
  const settings = isBinary ? readBinarySettings(bytes) : readAsciiSettings(bytes);
  const getAxis = (name: string, defaultAxis: number): SignedAxis => {
    const axis = settings.get(`${name}Axis`) ?? defaultAxis;
    return {
      axis: [0, 1, 2].includes(axis) ? axis : defaultAxis,
      sign: (settings.get(`${name}AxisSign`) ?? 1) < 0 ? -1 : 1,
    };
  };
  const unit = settings.get('UnitScaleFactor') ?? 1;
  return {
    version,
    unitScaleFactor: Number.isFinite(unit) && unit > 0 ? unit : 1,
    up: getAxis('Up', 1),
    right: getAxis('Coord', 0),
  };
}

function readAsciiVersion(bytes: Buffer): number {
  const text = bytes.toString('latin1', 0, MAX_SEARCHED_BYTES);
  return Number(/FBXVersion:\s*(\d+)/.exec(text)?.[1] ?? 0);
}

function readAsciiSettings(bytes: Buffer): Map<string, number> {
  const start = bytes.indexOf('GlobalSettings:');
  if (start < 0) return new Map();
  const text = bytes.toString('latin1', start, start + MAX_SEARCHED_BYTES);
  const pattern = /P: *"(\w+)", *"\w*", *"\w*", *"\w*", *(-?[\d.]+)/g;
  const entries = [...text.matchAll(pattern)].map(
    ([, name = '', value]) => [name, Number(value)] as const,
  );
  // Reversed, so that the first value of a name is kept.
  return new Map(entries.reverse());
}

function readBinarySettings(bytes: Buffer): Map<string, number> {
  const settings = new Map<string, number>();
  const globalSettings = findRecord(readFbxRecords(bytes), 'GlobalSettings');
  const properties =
    globalSettings && findRecord(readFbxRecords(bytes, globalSettings), 'Properties70');
  if (!properties) return settings;
  for (const record of readFbxRecords(bytes, properties)) {
    const values = readFbxProperties(bytes, record);
    const [name, value] = [values[0], values[4]];
    if (typeof name === 'string' && typeof value === 'number') settings.set(name, value);
  }
  return settings;
}

function findRecord(records: Iterable<FbxRecord>, name: string): FbxRecord | undefined {
  for (const record of records) if (record.name === name) return record;
  return undefined;
}
