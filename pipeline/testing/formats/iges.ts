import { CUBE_FACES, cubeCorners } from './cube.ts';

export type IgesOptions = {
  /** 1: inches, 2: millimeters, 6: meters. */
  unit?: 1 | 2 | 6;
  size?: number;
  /** 0: none, 2: red, 3: green, 4: blue. */
  color?: number;
};

/** Creates an IGES 5.3 file of a cube at the origin, as six bilinear surfaces. */
export function makeIges(options: IgesOptions = {}): Buffer {
  const { unit = 2, size = 10, color = 0 } = options;
  const unitName = { 1: 'IN', 2: 'MM', 6: 'M' }[unit];
  const start = formatSection('S', ['Created by Cloche tests']);
  const global = formatSection(
    'G',
    wrapValues(
      [
        '1H,',
        '1H;',
        toHollerith('cube'),
        toHollerith('cube.igs'),
        toHollerith('Cloche'),
        toHollerith('1'),
        '32',
        '38',
        '6',
        '308',
        '15',
        toHollerith('cube'),
        '1.0',
        String(unit),
        toHollerith(unitName),
        '1',
        '0.01',
        toHollerith('20260101.000000'),
        '1.0E-06',
        String(size),
        toHollerith(''),
        toHollerith(''),
        '11',
        '0',
        toHollerith('20260101.000000'),
      ],
      72,
    ),
  );
  const directory: string[] = [];
  const parameters: string[] = [];
  for (const face of CUBE_FACES) {
    const pointer = 2 * (directory.length / 2) + 1;
    const lines = wrapValues(
      bilinearSurface(face.map((corner) => cubeCorners(size)[corner] as number[])),
      64,
    );
    const fields = (values: readonly (string | number)[]) =>
      values.map((value) => String(value).padStart(8)).join('');
    directory.push(
      fields([128, parameters.length + 1, 0, 0, 0, 0, 0, 0, '00000000']),
      fields([128, 0, color, lines.length, 0, '', '', '', 0]),
    );
    parameters.push(...lines.map((line) => `${line.padEnd(64)}${String(pointer).padStart(8)}`));
  }
  const entries = formatSection('D', directory);
  const values = formatSection('P', parameters);
  const counts = [
    ['S', start],
    ['G', global],
    ['D', entries],
    ['P', values],
  ] as const;
  const ending = formatSection('T', [
    counts.map(([letter, lines]) => `${letter}${String(lines.length).padStart(7)}`).join(''),
  ]);
  return Buffer.from(
    [...start, ...global, ...entries, ...values, ...ending].map((line) => `${line}\n`).join(''),
  );
}

/** Returns the parameters of a rational B-spline surface of degree 1 through four corners. */
function bilinearSurface([a = [], b = [], c = [], d = []]: number[][]): string[] {
  const knots = [0, 0, 1, 1, 0, 0, 1, 1];
  const weights = [1, 1, 1, 1];
  const points = [a, b, d, c].flat();
  const reals = [...knots, ...weights, ...points, 0, 1, 0, 1].map((value) => value.toFixed(6));
  return ['128', '1', '1', '1', '1', '0', '0', '1', '0', '0', ...reals];
}

/** Encodes text as in IGES: its length, an H, and the text. */
function toHollerith(value: string): string {
  return value === '' ? '' : `${value.length}H${value}`;
}

/** Joins values with commas and a final semicolon, and wraps lines between values. */
function wrapValues(values: readonly string[], width: number): string[] {
  const lines = [''];
  values.forEach((value, index) => {
    const piece = `${value}${index === values.length - 1 ? ';' : ','}`;
    if ((lines.at(-1) as string).length + piece.length > width) lines.push('');
    lines[lines.length - 1] += piece;
  });
  return lines;
}

/** Formats lines of 80 columns: 72 of data, then the letter of the section and the line number. */
function formatSection(letter: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${line.padEnd(72)}${letter}${String(index + 1).padStart(7)}`);
}
