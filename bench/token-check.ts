import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../server/src/database/migrate.ts';
import { openSqlite } from '../server/src/database/sqlite.ts';
import { checkAlive } from '../server/src/tokens/token.ts';
import { hashOf, kindOf, makeTokenString } from '../server/src/tokens/token-string.ts';
import { Tokens } from '../server/src/tokens/tokens.ts';
import { type Row, ratio } from './table.ts';

const ROUNDS = 5;
const CHECKS = 200_000;
const LOOK_UPS = 5_000;

/** Checks of a known token, and first look-ups, with few and with a million tokens stored. */
export async function benchTokenCheck(): Promise<Row[]> {
  await using few = await openStock(10);
  await using many = await openStock(1_000_000);
  const known: [number[], number[]] = [[], []];
  const first: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const rates = [];
    for (const stock of [many, few]) rates.push(await checkKnown(stock), await checkFirst(stock));
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
      what: 'a known token, 1,000,000 stored against 10',
      ...ratio(...known),
      unit,
      target: 'within 10 %',
    },
    { what: 'a token’s first check, the same', ...ratio(...first), unit, target: '' },
  ];
}

type Stock = AsyncDisposable & { path: string; secrets: string[] };

async function openStock(size: number): Promise<Stock> {
  const folder = await mkdtemp(join(tmpdir(), 'cloche-bench-'));
  const path = join(folder, 'cloche.sqlite');
  const database = openSqlite(path);
  await migrate(database);
  await database.destroy();
  const secrets = fill(path, size);
  return {
    path,
    secrets,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Writes rows straight in; answers some of the tokens, spread over all. */
function fill(path: string, size: number): string[] {
  const database = new DatabaseSync(path);
  const time = new Date().toISOString();
  database.exec(`BEGIN; INSERT INTO user VALUES ('usr_bench', '${time}')`);
  const insert = database.prepare(
    `INSERT INTO token (id, user_id, name, hash, capabilities, origins, created_at)
     VALUES (?, 'usr_bench', '', ?, '["embed"]', '["https://shop.example"]', ?)`,
  );
  const secrets: string[] = [];
  const step = Math.max(1, Math.floor(size / LOOK_UPS));
  for (let i = 0; i < size; i += 1) {
    const secret = makeTokenString('public');
    insert.run(`tok_${i}`, hashOf(secret), time);
    if (i % step === 0) secrets.push(secret);
  }
  database.exec('COMMIT');
  database.close();
  return secrets;
}

async function checkKnown({ path, secrets: [secret = ''] }: Stock): Promise<number> {
  await using database = openSqlite(path);
  const tokens = new Tokens(database);
  await check(tokens, secret);
  const start = performance.now();
  for (let i = 0; i < CHECKS; i += 1) await check(tokens, secret);
  return CHECKS / ((performance.now() - start) / 1000);
}

/** As many look-ups however few there are to find: a new shelf has not seen them yet. */
async function checkFirst({ path, secrets }: Stock): Promise<number> {
  await using database = openSqlite(path);
  let tokens = new Tokens(database);
  const start = performance.now();
  for (let i = 0; i < LOOK_UPS; i += 1) {
    const at = i % secrets.length;
    if (at === 0) tokens = new Tokens(database);
    await check(tokens, secrets[at] as string);
  }
  return LOOK_UPS / ((performance.now() - start) / 1000);
}

async function check(tokens: Tokens, secret: string): Promise<void> {
  if (kindOf(secret) === undefined) throw new Error('not a token');
  const token = await tokens.findBySecret(secret);
  if (token === undefined) throw new Error('not found');
  checkAlive(token, new Date());
}
