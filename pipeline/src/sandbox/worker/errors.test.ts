import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Problem } from '@cloche/contract/problem';
import { toDesignProblem } from './errors.ts';

const makeError = (message: string) => new Error(message);

it('tells a want of memory from damage, however deep it is wrapped', () => {
  const wants = [
    new RangeError('Array buffer allocation failed'),
    new RangeError('Invalid array buffer length'),
    new RangeError('WebAssembly.Memory.grow(): Unable to grow instance memory'),
    makeError(
      'WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance',
    ),
    makeError('Aborted(OOM). Build with -sASSERTIONS for more info.'),
    makeError('std::bad_alloc'),
    makeError('unable to allocate 1073741824 bytes'),
    Object.assign(makeError('EFBIG: file too large, write'), { code: 'EFBIG', syscall: 'write' }),
  ];
  for (const want of wants) {
    const wrapped = new Problem('design.unreadable', { detail: 'Broken.', cause: want });
    assert.equal(toDesignProblem(want)?.code, 'design.too-complex', want.message);
    assert.equal(toDesignProblem(wrapped)?.code, 'design.too-complex', want.message);
  }
});

it('leaves problems as they are, and blames no file for what it does not know', () => {
  // The words may be a file's own.
  const problem = new Problem('design.unreadable', { detail: 'The node “out of memory” is cut.' });
  assert.equal(toDesignProblem(problem), problem);
  assert.equal(toDesignProblem(new TypeError('x is undefined')), undefined);
  assert.equal(toDesignProblem('text'), undefined);
});
