import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeOff } from '../../../testing/formats/off.ts';
import { createBufferReader } from '../../validation/byte-reader.ts';
import { VALIDATION_LIMITS } from '../../validation/limits.ts';
import { validateModel } from '../validate-model.ts';

const validateBytes = (bytes: Buffer | string) =>
  validateModel(createBufferReader(Buffer.from(bytes as string)));

const ROWS = '0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n';

describe('OFF validation', () => {
  const VALID: [what: string, bytes: Buffer | string][] = [
    ['a cube', makeOff()],
    ['lines that end with CR LF', makeOff({ lineEnd: '\r\n' })],
    ['lines that end with CR', makeOff({ lineEnd: '\r' })],
    ['the counts in the line of the keyword', `OFF 3 1 0\n${ROWS}`],
    ['no space before the counts', `OFF3 1 0\n${ROWS}`],
    ['no number of edges', `OFF\n3 1\n${ROWS}`],
    ['a wrong number of edges', `OFF\n3 1 -1\n${ROWS}`],
    ['comments and empty lines', `# a\n\n  #b\nOFF # c\n# d\n3 1 0#e\n\n#f\n${ROWS}`],
    ['comments after numbers', `OFF\n3 1 0\n${ROWS.replaceAll('\n', ' # 9\n')}`],
    ['a comment directly after a number', `OFF\n3 1 0\n${ROWS.replaceAll('\n', '#9\n')}`],
    ['a byte order mark', `\ufeffOFF\n3 1 0\n${ROWS}`],
    ['no line end at the end', `OFF\n3 1 0\n${ROWS.trim()}`],
    ['exponents', `OFF\n3 1 0\n${ROWS.replace('1 0 0', '1e0 -1.5E-3 +.5')}`],
    ['lines after the last face', `OFF\n3 1 0\n${ROWS}2 0 1\n`],
    ['no faces', `OFF\n3 0 0\n${ROWS}`],
    ['vertex colors', makeOff({ keyword: 'COFF', vertexData: ['255 0 0 255', '0 0.5 1'] })],
    ['normals', makeOff({ keyword: 'NOFF', vertexData: ['0 0 1'] })],
    ['texture coordinates', makeOff({ keyword: 'STOFF', vertexData: ['0 1'] })],
    ['everything', makeOff({ keyword: 'STCNOFF', vertexData: ['0 0 1 255 0 0 0 1'] })],
    ['another order of prefixes', makeOff({ keyword: 'NCOFF', vertexData: ['0 0 1 9 9 9'] })],
  ];
  for (const [what, bytes] of VALID) {
    it(`accepts ${what}`, async () => {
      assert.equal((await validateBytes(bytes)).detectedFormat.format, 'off');
    });
  }

  const face = (row: string) => `OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n${row}\n`;
  const vertex = (row: string) => `OFF\n3 1 0\n${row}\n1 0 0\n0 1 0\n3 0 1 2\n`;
  const HOSTILE: [what: string, bytes: Buffer | string, reason: string, detail: RegExp][] = [
    ['only the keyword', 'OFF', 'header', /but nothing follows\.$/],
    ['only spaces and the keyword', ' \n\n OFF \r\n ', 'header', /but nothing follows/],
    ['words', 'OFF the record', 'header', /but "the record" follows/],
    ['one count', 'OFF\n8\n', 'header', /but "8" follows/],
    ['a negative count', 'OFF\n-8 6 0\n', 'header', /but "-8 6 0" follows/],
    ['a fraction as count', 'OFF\n8.5 6 0\n', 'header', /follows/],
    ['a count of 400 digits', `OFF\n${'9'.repeat(400)} 1 0\n`, 'header', /follows/],
    ['a header of 1 MB', `OFF\n${'# a\n'.repeat(250_000)}3 1 0\n`, 'header', /65,536 bytes/],
    ['a comment of 1 MB', `OFF #${'a'.repeat(1e6)}`, 'header', /65,536 bytes/],
    ['4e9 vertices', `OFF\n4000000000 1 0\n${ROWS}`, 'count', /4,000,000,000 vertices.* more than/],
    ['4e9 faces', `OFF\n3 4000000000 0\n${ROWS}`, 'count', /4,000,000,000 faces, more than fit/],
    ['1e14 of both', `OFF 99999999999999 99999999999999\n${ROWS}`, 'count', /more than fit/],
    ['no vertices', 'OFF\n0 0 0\n', 'empty', /no vertices/],
    [
      'a missing vertex',
      'OFF\n3 1\n0.000 0.000 0.000\n1.000 0.000 0.000\n',
      'truncated',
      /after 2/,
    ],
    ['a missing face', `OFF\n3 2 0\n${ROWS}`, 'truncated', /after 3 vertices and 1 faces/],
    ['a coordinate too few', vertex('0.0 0'), 'count', /^Line 3 of .* has 2 numbers.* needs 3/],
    [
      'a missing color',
      makeOff({ keyword: 'COFF' }),
      'count',
      /3 numbers, but each vertex needs 6/,
    ],
    ['a vertex at NaN', vertex('nan 0 0'), 'not-finite', /^Line 3 of the OFF/],
    ['a vertex at infinity', vertex('0 inf 0'), 'not-finite', /^Line 3/],
    ['a vertex at 1e39', vertex('0 0 1e39'), 'not-finite', /^Line 3/],
    ['a vertex of words', vertex('a b c'), 'not-finite', /^Line 3/],
    ['a color that is not finite', face('3 0 1 2 1e99 0 0'), 'not-finite', /^Line 6/],
    ['an index without a vertex', face('3 0 1 3'), 'index', /^Line 6 .* vertex 3, but there are 3/],
    ['a negative index', face('3 0 1 -1'), 'index', /vertex -1/],
    ['an index of 1e9', face('3 0 1 1000000000'), 'index', /vertex 1000000000/],
    ['a fraction as index', face('3 0 1 0.5'), 'index', /vertex 0\.5/],
    ['a face of a billion corners', face('1000000000 0 1 2'), 'count', /1,000,000,000 corners/],
    ['a face of -3 corners', face('-3 0 1 2'), 'count', /-3 corners/],
    ['a face of 2.5 corners', face('2.5 0 1 2'), 'count', /2\.5 corners/],
    ['four dimensions', '4OFF\n1 0 0\n0 0 0 1\n', 'off-variant', /more than three dimensions/],
    ['n dimensions', 'nOFF\n5\n1 0 0\n0 0 0 0 0\n', 'off-variant', /more than three dimensions/],
    ['colors in four dimensions', 'STC4nOFF\n1 0 0\n', 'off-variant', /more than three dim/],
    ['binary', 'OFF BINARY\n\0\0\0\x08\0\0\0\x06', 'off-variant', /binary OFF; write it as text/],
    ['a line of 20 MB', `OFF\n3 1 0\n${'0 '.repeat(1e7)}`, 'line-bytes', /bytes in one line/],
  ];
  for (const [what, bytes, reason, detail] of HOSTILE) {
    it(`rejects ${what}`, async () => {
      await assert.rejects(validateBytes(bytes), { reason, message: detail });
    });
  }

  it('rejects counts without reading beyond the header', async () => {
    const bytes = Buffer.from(`OFF\n4000000000 1 0\n${ROWS.repeat(1e5)}`);
    let lastByte = 0;
    const file = createBufferReader(bytes);
    const reader = {
      size: file.size,
      read(offset: number, length: number) {
        lastByte = Math.max(lastByte, offset + length);
        return file.read(offset, length);
      },
    };
    await assert.rejects(validateModel(reader), { reason: 'count' });
    assert.equal(lastByte, 65_536);
  });

  const LIMITED: [limit: 'vertices' | 'triangles', max: number][] = [
    ['vertices', 7],
    ['triangles', 11],
  ];
  for (const [limit, max] of LIMITED) {
    it(`rejects more ${limit} than allowed`, async () => {
      const file = createBufferReader(makeOff());
      await assert.rejects(validateModel(file, { ...VALIDATION_LIMITS, [limit]: max }), {
        code: 'design.too-complex',
        reason: limit,
      });
      await validateModel(file, { ...VALIDATION_LIMITS, [limit]: max + 1 });
    });
  }

  for (const text of ['OFFSET 1 2 3', 'off\n3 1 0\n', 'Official', 'xOFF\n', 'v 1 2 3\nOFF\n']) {
    it(`does not take this for an OFF: ${JSON.stringify(text)}`, async () => {
      const format = await validateBytes(text).then(
        ({ detectedFormat }) => detectedFormat.format,
        ({ reason }) => reason,
      );
      assert.ok(['unknown', 'obj'].includes(format), format);
    });
  }
});
