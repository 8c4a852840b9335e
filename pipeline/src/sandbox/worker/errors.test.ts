import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { toDesignProblem } from './errors.ts';

const createError = (message: string) => new Error(message);

it('detects errors about memory, also when another problem wraps them', () => {
  const errors = [
    new RangeError('Array buffer allocation failed'),
    new RangeError('Invalid array buffer length'),
    new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory'),
    createError(
      'WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance',
    ),
    createError('Aborted(OOM). Build with -sASSERTIONS for more info.'),
    createError('std::bad_alloc'),
    createError('unable to allocate 1073741824 bytes'),
  ];
  for (const error of errors) {
    const wrapped = new Problem('design.unreadable', { detail: 'Broken.', cause: error });
    assert.equal(toDesignProblem(error)?.code, 'design.too-complex', error.message);
    assert.equal(toDesignProblem(wrapped)?.code, 'design.too-complex', error.message);
  }
});

it('returns a problem unchanged, and undefined for an unknown error', () => {
  // The text may come from the file itself.
  const problem = new Problem('design.unreadable', { detail: 'The node “out of memory” is cut.' });
  assert.equal(toDesignProblem(problem), problem);
  assert.equal(toDesignProblem(new TypeError('x is undefined')), undefined);
  assert.equal(toDesignProblem('text'), undefined);
});
