import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { minifyShader, toSourceEntry } from './three-plugin.ts';

describe('minifyShader', () => {
  const cases: [name: string, shader: string, minified: string][] = [
    ['comments', 'a; // one\nb; /* two\n three */ c;', 'a;\nb;c;'],
    ['spaces around operators', 'float a = b + ( c * d );', 'float a=b+(c*d);'],
    ['spaces between words', 'uniform  float   a;', 'uniform float a;'],
    ['empty lines and indentation', '\n\n\tvoid main() {\n\t}\n', '\nvoid main(){\n}\n'],
    ['directives keep their spaces', '#define A (b)\n#if A > 1', '#define A (b)\n#if A > 1'],
  ];
  for (const [name, shader, minified] of cases) {
    it(name, () => assert.equal(minifyShader(shader), minified));
  }
});

describe('toSourceEntry', () => {
  it('finds the sources also in a folder named build', () => {
    assert.equal(
      toSourceEntry('/build/node_modules/three/build/three.cjs'),
      '/build/node_modules/three/src/Three.js',
    );
  });
});
