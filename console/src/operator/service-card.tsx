import type { SystemInfo } from '@cloche/contract/system';
import { operatorTexts } from '../i18n/en/operator.ts';
import { Uptime } from './uptime.tsx';

/** What runs, since when, and where it stores data. */
export function ServiceCard({ system }: { system: SystemInfo }) {
  const { version, nodeVersion, startedAt, node, database, storage, posters } = system;
  const { service } = operatorTexts;
  return (
    <section className="card">
      <h2>{service.title}</h2>
      <dl className="facts">
        <dt>{service.version}</dt>
        <dd>
          Cloche {version}, Node {nodeVersion.replace(/^v/, '')}
        </dd>
        <dt>{service.uptime}</dt>
        <dd>
          <Uptime since={startedAt} />
        </dd>
        <dt>{service.node}</dt>
        <dd>
          {node.id} ({service.nodeRoles[node.role]})
        </dd>
        <dt>{service.database}</dt>
        <dd>
          {service.databases[database.kind]} {database.version}
        </dd>
        <dt>{service.storage}</dt>
        <dd>{service.storages[storage]}</dd>
        <dt>{service.posters}</dt>
        <dd>
          {posters ? service.postersOn : service.postersOff}
          {!posters && <p className="hint">{service.postersHint}</p>}
        </dd>
      </dl>
    </section>
  );
}
