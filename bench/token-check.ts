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

/** Measures cached and uncached token checks, with 10 and with a million stored tokens. */
export async function benchTokenCheck(): Promise<BenchResult[]> {
  await using few = await openTokenDatabase(10);
  await using many = await openTokenDatabase(1_000_000);
  const cached: [number[], number[]] = [[], []];
  const uncached: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rates = [];
    for (const database of [many, few])
      rates.push(await measureCachedChecks(database), await measureUncachedChecks(database));
    const [manyCached = 0, manyUncached = 0, fewCached = 0, fewUncached = 0] = rates;
    // The first round is a warm-up.
    if (round === 0) continue;
    cached[0].push(manyCached);
    cached[1].push(fewCached);
    uncached[0].push(manyUncached);
    uncached[1].push(fewUncached);
  }
  const unit = 'checks/s';
  const cachedRates = compareRounds(...cached);
  return [
    {
      label: 'cached token check, 1,000,000 stored vs. 10',
      ...cachedRates,
      unit,
      goal: { text: 'within 10 %', isMet: cachedRates.ratio >= 0.9 },
    },
    { label: 'uncached token check, the same', ...compareRounds(...uncached), unit },
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

/** Inserts tokens with SQL, which is fast; returns a sample of their token strings. */
function insertTokens(path: string, size: number): string[] {
  const database = new DatabaseSync(path);
  const time = new Date().toISOString();
  database.exec(`BEGIN; INSERT INTO user VALUES ('usr_bench', '${time}')`);
  const insert = database.prepare(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at)
     VALUES (?, 'usr_bench', '', ?, '["embed"]', '["https://shop.example"]', ?)`,
  );
  const tokenStrings: string[] = [];
  const sampleInterval = Math.max(1, Math.floor(size / LOOKUPS));
  for (let i = 0; i < size; i += 1) {
    const tokenString = generateTokenString('public');
    insert.run(`tok_${i}`, hashTokenString(tokenString), time);
    if (i % sampleInterval === 0) tokenStrings.push(tokenString);
  }
  database.exec('COMMIT');
  database.close();
  return tokenStrings;
}

async function measureCachedChecks({
  path,
  tokenStrings: [tokenString = ''],
}: TokenDatabase): Promise<number> {
  await using database = openSqlite(path);
  const tokens = new TokenStore(database);
  await checkToken(tokens, tokenString);
  const start = performance.now();
  for (let i = 0; i < CHECKS; i += 1) await checkToken(tokens, tokenString);
  return CHECKS / ((performance.now() - start) / 1000);
}

/** Each pass over the tokens uses a new store, whose cache is empty. */
async function measureUncachedChecks({ path, tokenStrings }: TokenDatabase): Promise<number> {
  await using database = openSqlite(path);
  let tokens = new TokenStore(database);
  const start = performance.now();
  for (let i = 0; i < LOOKUPS; i += 1) {
    const index = i % tokenStrings.length;
    if (index === 0) tokens = new TokenStore(database);
    await checkToken(tokens, tokenStrings[index] as string);
  }
  return LOOKUPS / ((performance.now() - start) / 1000);
}

async function checkToken(tokens: TokenStore, tokenString: string): Promise<void> {
  if (findTokenKind(tokenString) === undefined) throw new Error('The token string is invalid.');
  const token = await tokens.findByTokenString(tokenString);
  if (token === undefined) throw new Error('The token was not found.');
  assertActive(token, new Date());
}
