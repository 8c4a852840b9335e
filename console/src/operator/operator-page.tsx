import { operatorTexts } from '../i18n/en/operator.ts';
import { BackupCard } from './backup-card.tsx';
import { JobCounts } from './job-counts.tsx';
import { LogLevelCard } from './log-level-card.tsx';
import { MetricsSection } from './metrics-section.tsx';
import { NodesCard } from './nodes-card.tsx';
import { OperatorShell } from './operator-shell.tsx';
import { QueryView } from './query-view.tsx';
import { SandboxCard } from './sandbox-card.tsx';
import { ServiceCard } from './service-card.tsx';
import { StorageCard } from './storage-card.tsx';
import { useSystem } from './use-system.ts';

/** The state of the service. */
export function OperatorPage() {
  return (
    <OperatorShell title={operatorTexts.title} lead={operatorTexts.lead}>
      <Overview />
    </OperatorShell>
  );
}

function Overview() {
  const system = useSystem();
  return (
    <div className="operator">
      <JobCounts />
      <QueryView query={system}>
        {(info) => (
          <div className="operator-cards">
            <ServiceCard system={info} />
            <StorageCard />
            <SandboxCard sandbox={info.sandbox} />
            <BackupCard backup={info.backup} />
            <LogLevelCard logLevel={info.logLevel} />
            {info.nodes.length > 1 && <NodesCard nodes={info.nodes} />}
          </div>
        )}
      </QueryView>
      <MetricsSection />
    </div>
  );
}
