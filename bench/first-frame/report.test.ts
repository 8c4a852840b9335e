import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCommandLine } from './command-line.ts';
import { renderTables, replaceResults } from './report.ts';
import type { Results, Sample } from './results.ts';

const KEY = { model: 'Box', network: 'none', visit: 'cold' } as const;

function makeResults(samples: Partial<Sample>[]): Results {
  return {
    takenAt: '2026-11-22T10:00:00.000Z',
    machine: {
      ...{ cpu: 'A CPU', cores: 2, memoryGiB: 8, system: 'Linux', node: 'v24.1.0' },
      browser: 'Chromium 1',
    },
    versions: { cloche: 'this commit', 'model-viewer': '4.4.0', playcanvas: '2.0.0' },
    models: [{ name: 'Box', bytes: 1664, detail: 'one box' }],
    samples: samples.map((sample) => ({ ...KEY, contender: 'cloche', ...sample })),
  };
}

describe('the tables of the benchmark', () => {
  it('show medians, ratios, versions and the machine', () => {
    const text = renderTables(
      makeResults([
        {
          recognizableMs: 50,
          first3dMs: 100,
          fullMs: 300,
          blockingMs: 150,
          addedMemoryBytes: 2 ** 20,
        },
        { first3dMs: 900, fullMs: 200, usefulBytes: 20_000, addedMemoryBytes: 2 ** 20 },
        { first3dMs: 200, fullMs: 100, addedMemoryBytes: 2 ** 20 },
        { contender: 'model-viewer', first3dMs: 1000, fullMs: 1000, addedMemoryBytes: 2 ** 21 },
        { contender: 'playcanvas', first3dMs: 400, fullMs: 400, blockingMs: 100 },
      ]),
    );
    assert.match(text, /2026-11-22: Chromium 1 with software GL, A CPU, 2 cores/);
    assert.match(text, /model-viewer 4\.4\.0, playcanvas 2\.0\.0\. Medians of 1 to 3\./);
    assert.match(
      text,
      /^\| Box \| no throttle \| cold \| 0\.25 \| 0\.20 \| 0\.50 \| 0\.50 \| 1\.50 \| 0\.50 \|$/m,
    );
    assert.match(text, /^\| Box \| no throttle \| cold \| full \| 200 ms \| 420 ms \| met \|$/m);
    assert.match(
      text,
      /^\| Box \| no throttle \| cold \| blocking \| 150 ms \| 105 ms \| NOT MET \|$/m,
    );
    assert.match(text, /^\| Box \| cloche \| – \| 200 \| 200 \| 20 \|/m);
    assert.match(text, /^### No throttle, first visit$/m);
    assert.doesNotMatch(text, /third visit/);
  });

  it('name what failed, and leave out what cannot open a file', () => {
    const text = renderTables(makeResults([{ contender: 'model-viewer', error: 'No model.' }]));
    assert.match(text, /^\| Box \| model-viewer: failed \|/m);
    assert.doesNotMatch(text, /^\| Box \| playcanvas/m);
    assert.doesNotMatch(text, /### Goals/);
  });

  it('replace those of a document', () => {
    const document = 'a\n<!-- results -->\nold\n<!-- end of results -->\nb';
    const expected = 'a\n<!-- results -->\n\n$& new\n\n<!-- end of results -->\nb';
    assert.equal(replaceResults(document, '$& new\n'), expected);
    assert.throws(() => replaceResults('a', 'new'), /no place for results/);
  });
});

describe('the command line of the benchmark', () => {
  it('selects in a fixed order, and has defaults', () => {
    const { networks, contenders, rounds } = parseCommandLine(['--networks=1.6,none']);
    assert.deepEqual(
      networks.map(({ name }) => name),
      ['none', '1.6'],
    );
    assert.equal(contenders[0], 'cloche');
    assert.equal(rounds, 1);
  });

  for (const [argument, message] of [
    ['--networks=3G', /Unknown network: 3G\.[\s\S]*--networks=none,20,1\.6/],
    ['--contenders=x', /Unknown contender: x\./],
    ['--rounds=0', /--rounds must be a whole number/],
    ['--color', /Unknown option '--color'/],
  ] as const) {
    it(`refuses ${argument}, with the usage`, () => {
      assert.throws(() => parseCommandLine([argument]), message);
    });
  }
});
