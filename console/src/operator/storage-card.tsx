import type { StorageUse } from '@cloche/contract/system';
import { operatorTexts } from '../i18n/en/operator.ts';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';
import { Bar } from './bar.tsx';
import { QueryView } from './query-view.tsx';
import { useStorageUse } from './use-system.ts';

const KINDS = ['sources', 'artifacts', 'uploads'] as const;

/** The bytes of the files by kind, and the space of the disk. */
export function StorageCard() {
  const storage = useStorageUse();
  return (
    <section className="card">
      <h2>{operatorTexts.storage.title}</h2>
      <QueryView query={storage}>
        {(use) => (
          <>
            <FileBars use={use} />
            <DiskBar disk={use.disk} />
          </>
        )}
      </QueryView>
    </section>
  );
}

function FileBars({ use }: { use: StorageUse }) {
  const { storage: t } = operatorTexts;
  const largest = Math.max(...KINDS.map((kind) => use[kind].bytes), 1);
  return (
    <>
      <dl className="bars">
        {KINDS.map((kind) => (
          <div key={kind}>
            <dt>{t[kind]}</dt>
            <dd>
              <Bar share={use[kind].bytes / largest} />
              {formatBytes(use[kind].bytes)}
              {' · '}
              <span className="muted">{t.files(formatInteger(use[kind].files))}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="hint">
        {t.counts(formatInteger(use.designs), formatInteger(use.revisions))}. {t.counted}{' '}
        <Age time={use.countedAt} />.
      </p>
    </>
  );
}

function DiskBar({ disk }: Pick<StorageUse, 'disk'>) {
  const { storage: t } = operatorTexts;
  const { freeBytes, totalBytes, reserveBytes, reserveTargetBytes } = disk;
  const used = totalBytes - freeBytes;
  const isReserveLow = reserveBytes < reserveTargetBytes;
  const [reserve, target] = [formatBytes(reserveBytes), formatBytes(reserveTargetBytes)];
  return (
    <>
      <dl className="bars">
        <div>
          <dt>{t.disk}</dt>
          <dd>
            <Bar
              share={totalBytes === 0 ? 0 : used / totalBytes}
              tone={isReserveLow ? 'bad' : 'plain'}
            />
            {t.used(formatBytes(used), formatBytes(totalBytes))},{' '}
            <b>{t.free(formatBytes(freeBytes))}</b>
          </dd>
        </div>
      </dl>
      {isReserveLow ? (
        <p className="error">{t.reserveLow(reserve, target)}</p>
      ) : (
        <p className="hint">{t.reserve(reserve)}</p>
      )}
    </>
  );
}
