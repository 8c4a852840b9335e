import type { BackupState } from '@cloche/contract/system';
import { operatorTexts } from '../i18n/en/operator.ts';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { formatBytes, formatInteger } from '../ui/format.ts';
import { Age } from '../ui/time.tsx';

const BACKUP_COMMAND = 'npx cloche-server backup /backups/cloche';

/** The last backup, or a warning that there is none. */
export function BackupCard({ backup: { last, running } }: { backup: BackupState }) {
  const { backup: t } = operatorTexts;
  return (
    <section className="card">
      <h2>{t.title}</h2>
      {running && <p>{t.running}</p>}
      {last === null ? (
        <>
          <p className="warning-text">
            <b>{t.never}</b> {t.neverHint}
          </p>
          <CopyableCode text={BACKUP_COMMAND} label={t.command} />
        </>
      ) : (
        <dl className="facts">
          <dt>{t.last}</dt>
          <dd>
            <Age time={last.finishedAt} />
          </dd>
          <dt>{t.contents}</dt>
          <dd>
            {t.count(
              formatInteger(last.designs),
              formatInteger(last.files),
              formatBytes(last.bytes),
            )}
          </dd>
          <dt>{t.madeBy}</dt>
          <dd>{last.version}</dd>
        </dl>
      )}
      <p>
        <a href="/docs/backup" target="_blank" rel="noopener">
          {t.more}
        </a>
      </p>
    </section>
  );
}
