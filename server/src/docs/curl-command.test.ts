import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';

// Browser code, without types of its own.
const { toCurlCommand } = await import(new URL('./assets/curl-command.js', import.meta.url).href);

const request = { method: 'GET', url: '/v1/designs', headers: [], accept: '', needsToken: true };
const toCurl = (more: object) => toCurlCommand('https://cloche.test', { ...request, ...more });

/** What a shell makes of the command. */
function toShellArguments(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\nTOKEN=t0ken\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
}

describe('a request as a curl command', () => {
  it('names the token and does not tell it', () => {
    assert.equal(
      toCurl({}),
      'curl https://cloche.test/v1/designs \\\n  -H "Authorization: Bearer $TOKEN"',
    );
  });

  it('reaches curl as it was typed, whatever is in it', () => {
    const body = `{"name": "it's $HOME; \`id\` \\\\ é"}`;
    const said = toShellArguments(toCurl({ method: 'PATCH', type: 'application/json', body }));
    assert.ok(said.includes(body), said.join('\n'));
    assert.deepEqual(said.slice(0, 3), ['https://cloche.test/v1/designs', '-X', 'PATCH']);
  });

  it('guards addresses with a query', () => {
    assert.equal(
      toShellArguments(toCurl({ url: '/v1/designs?limit=2&cursor=a' }))[0]?.slice(-18),
      '?limit=2&cursor=a'.padStart(18, 's'),
    );
  });

  it('sends files as they are, or as a form', () => {
    const file = { name: "my 'chair'.glb" };
    const plain = toShellArguments(toCurl({ method: 'POST', type: 'model/gltf-binary', file }));
    assert.ok(plain.includes(`@my 'chair'.glb`) && plain.includes('--data-binary'));
    const form = toShellArguments(toCurl({ method: 'POST', type: 'multipart/form-data', file }));
    assert.deepEqual(form.slice(-2), ['-F', `file=@my 'chair'.glb`]);
  });
});
