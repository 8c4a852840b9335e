import type { Node } from '@cloche/contract/node';
import { operatorTexts } from '../i18n/en/operator.ts';
import { Age } from '../ui/time.tsx';
import { Uptime } from './uptime.tsx';

/** The nodes of the service. */
export function NodesCard({ nodes }: { nodes: readonly Node[] }) {
  const { nodes: t, service } = operatorTexts;
  return (
    <section className="card wide">
      <h2 id="nodes">{t.title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table scrolls with the keyboard */}
      <section className="table-scroll" tabIndex={0} aria-labelledby="nodes">
        <table>
          <thead>
            <tr>
              {[t.id, t.role, t.version, service.uptime, t.seen].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ id, role, version, startedAt, seenAt }) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                <td>{service.nodeRoles[role]}</td>
                <td>{version}</td>
                <td>
                  <Uptime since={startedAt} />
                </td>
                <td>
                  <Age time={seenAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
