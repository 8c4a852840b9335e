import type { SystemInfo } from '@cloche/contract/system';
import { operatorTexts } from '../i18n/en/operator.ts';
import { Badge } from '../ui/badge.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';
import { parseSandboxReason } from './parse-sandbox-reason.ts';

/** How well uploaded files are isolated, and what to do for the level `strict`. */
export function SandboxCard({ sandbox }: Pick<SystemInfo, 'sandbox'>) {
  const { level, reason, missing } = sandbox;
  const { sandbox: t } = operatorTexts;
  const { explanation, command } = parseSandboxReason(reason ?? '');
  return (
    <section className="card">
      <h2>
        {t.title} <Badge tone={level === 'strict' ? 'good' : 'warning'}>{t.levels[level]}</Badge>
      </h2>
      {level === 'strict' && <p>{t.strict}</p>}
      {explanation !== '' && <p>{t.reason(explanation)}</p>}
      {command !== undefined && (
        <>
          <p>{t.command}:</p>
          <CopyableCode text={command} label={t.command} />
        </>
      )}
      {missing.length > 0 && (
        <>
          <h3 className="spaced">{t.missing}</h3>
          <ul className="plain-list">
            {missing.map((protection) => (
              <li key={protection}>{protection}</li>
            ))}
          </ul>
        </>
      )}
      <p>
        <a href="/docs/security#uploads" target="_blank" rel="noopener">
          {t.more}
        </a>
      </p>
    </section>
  );
}
