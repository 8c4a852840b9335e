import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { type FormRequest, toCurlCommand } from './curl-command.ts';

const request: FormRequest = {
  method: 'GET',
  url: '/v1/designs',
  headers: [],
  accept: '',
  needsToken: true,
};
const toCurl = (fields: Partial<FormRequest>) =>
  toCurlCommand('https://cloche.test', { ...request, ...fields });

/** The arguments that curl gets when a shell runs the command. */
function toShellArguments(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\nTOKEN=t0ken\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
}

describe('the curl command of a request', () => {
  it('contains $TOKEN in place of the token', () => {
    assert.equal(
      toCurl({}),
      'curl https://cloche.test/v1/designs \\\n  -H "Authorization: Bearer $TOKEN"',
    );
  });

  it('passes a body with special characters unchanged', () => {
    const body = `{"name": "it's $HOME; \`id\` \\\\ é"}`;
    const shellArguments = toShellArguments(
      toCurl({ method: 'PATCH', type: 'application/json', body }),
    );
    assert.ok(shellArguments.includes(body), shellArguments.join('\n'));
    assert.deepEqual(shellArguments.slice(0, 3), ['https://cloche.test/v1/designs', '-X', 'PATCH']);
  });

  it('quotes URLs with a query', () => {
    assert.equal(
      toShellArguments(toCurl({ url: '/v1/designs?limit=2&cursor=a' }))[0]?.slice(-18),
      '?limit=2&cursor=a'.padStart(18, 's'),
    );
  });

  it('sends files as the body or as a form', () => {
    const file = new File([], "my 'chair'.glb");
    const binary = toShellArguments(toCurl({ method: 'POST', type: 'model/gltf-binary', file }));
    assert.ok(binary.includes(`@my 'chair'.glb`) && binary.includes('--data-binary'));
    const form = toShellArguments(toCurl({ method: 'POST', type: 'multipart/form-data', file }));
    assert.deepEqual(form.slice(-2), ['-F', `file=@my 'chair'.glb`]);
  });
});
