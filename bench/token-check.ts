import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../server/src/database/migrate.ts';
import { openSqlite } from '../server/src/database/sqlite.ts';
import { assertActive } from '../server/src/tokens/token.ts';
import { TokenStore } from '../server/src/tokens/token-store.ts';
import {
  findTokenKind,
  generateTokenString,
  hashTokenString,
} from '../server/src/tokens/token-string.ts';
import { type BenchResult, compareRounds } from './bench-result.ts';

const ROUNDS = 5;
const CHECKS = 200_000;
const LOOKUPS = 5_000;

/** Checks of a known token, and first look-ups, with few and with a million tokens stored. */
export async function benchTokenCheck(): Promise<BenchResult[]> {
  await using few = await openTokenDatabase(10);
  await using many = await openTokenDatabase(1_000_000);
  const known: [number[], number[]] = [[], []];
  const first: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rates = [];
    for (const stock of [many, few])
      rates.push(await measureCachedChecks(stock), await measureUncachedChecks(stock));
    const [a = 0, b = 0, c = 0, d = 0] = rates;
    if (round === 0) continue;
    known[0].push(a);
    known[1].push(c);
    first[0].push(b);
    first[1].push(d);
  }
  const unit = 'checks/s';
  return [
    {
      label: 'a known token, 1,000,000 stored against 10',
      ...compareRounds(...known),
      unit,
      goal: 'within 10 %',
    },
    { label: 'a token’s first check, the same', ...compareRounds(...first), unit, goal: '' },
  ];
}

type TokenDatabase = AsyncDisposable & { path: string; tokenStrings: string[] };

async function openTokenDatabase(size: number): Promise<TokenDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
  const path = join(folder, 'cloche.sqlite');
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  const tokenStrings = insertTokens(path, size);
  return {
    path,
    tokenStrings,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Writes rows straight in; answers some of the tokens, spread over all. */
function insertTokens(path: string, size: number): string[] {
  const database = new DatabaseSync(path);
  const time = new Date().toISOString();
  database.exec(`BEGIN; INSERT INTO user VALUES ('usr_bench', '${time}')`);
  const insert = database.prepare(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at)
     VALUES (?, 'usr_bench', '', ?, '["embed"]', '["https://shop.example"]', ?)`,
  );
  const secrets: string[] = [];
  const step = Math.max(1, Math.floor(size / LOOKUPS));
  for (let i = 0; i < size; i += 1) {
    const secret = generateTokenString('public');
    insert.run(`tok_${i}`, hashTokenString(secret), time);
    if (i % step === 0) secrets.push(secret);
  }
  database.exec('COMMIT');
  database.close();
  return secrets;
}

async function measureCachedChecks({
  path,
  tokenStrings: [secret = ''],
}: TokenDatabase): Promise<number> {
  await using database = openSqlite(path);
  const tokens = new TokenStore(database);
  await checkToken(tokens, secret);
  const start = performance.now();
  for (let i = 0; i < CHECKS; i += 1) await checkToken(tokens, secret);
  return CHECKS / ((performance.now() - start) / 1000);
}

/** As many look-ups however few there are to find: a new shelf has not seen them yet. */
async function measureUncachedChecks({ path, tokenStrings }: TokenDatabase): Promise<number> {
  await using database = openSqlite(path);
  let tokens = new TokenStore(database);
  const start = performance.now();
  for (let i = 0; i < LOOKUPS; i += 1) {
    const at = i % tokenStrings.length;
    if (at === 0) tokens = new TokenStore(database);
    await checkToken(tokens, tokenStrings[at] as string);
  }
  return LOOKUPS / ((performance.now() - start) / 1000);
}

async function checkToken(tokens: TokenStore, secret: string): Promise<void> {
  if (findTokenKind(secret) === undefined) throw new Error('not a token');
  const token = await tokens.findByTokenString(secret);
  if (token === undefined) throw new Error('not found');
  assertActive(token, new Date());
}
