import type { PageFinding } from '@cloche/contract/page-check';
import { pageCheckTexts } from '../i18n/en/page-check.ts';
import { Badge } from '../ui/badge.tsx';
import { CopyableCode } from '../ui/copyable-code.tsx';

/** What is wrong, and what to change. */
export function FindingList({ findings }: { findings: readonly PageFinding[] }) {
  const t = pageCheckTexts;
  return (
    <ul className="findings">
      {findings.map(({ code, severity, title, detail, fix }, index) => (
        // The list never changes, and has no ids: a code can be in it twice.
        <li key={index}>
          <h3>
            <Badge tone={severity === 'error' ? 'bad' : 'warning'}>{t.severities[severity]}</Badge>{' '}
            {title}
          </h3>
          <p>
            <bdi>{detail}</bdi>{' '}
            <a href={findDocsUrl(code)} target="_blank" rel="noopener">
              {t.explain}
            </a>
          </p>
          <p className="fix-title">{t.fix}</p>
          <CopyableCode text={fix} label={t.fixLabel(title)} />
        </li>
      ))}
    </ul>
  );
}

/** Findings of tokens and designs have the codes of problems. */
function findDocsUrl(code: string): string {
  return /^(page|frame|element)\./.test(code) || code === 'token.not-yours'
    ? '/docs/embed#check-a-page'
    : `/docs/problems#${code}`;
}
