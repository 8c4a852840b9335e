import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { waitUntil } from '../../scripts/wait-until.ts';
import type { DockerHost } from './docker-host.ts';
import type { EmbedReport } from './embed-client.ts';

const CLIENT = join(import.meta.dirname, 'embed-client.ts');
/** For the processing of a file, on a busy machine. */
const TIMEOUT_MS = 600_000;

type VisitorOptions = {
  origin: string;
  /** The bootstrap token. */
  tokenString: string;
  /** A file with a certificate authority that is trusted. */
  certificates?: string;
};

/** A process in the network of the containers that has embedded a design, and looks at it all the time. */
export type EmbedVisitor = {
  /** Waits for a number of further views, and returns how it went until then. */
  waitForViews(count: number): Promise<EmbedReport>;
  stop(): Promise<EmbedReport>;
};

/** Uploads a design, embeds it, and starts to look at it. @throws if a step fails */
export async function startVisitor(
  docker: DockerHost,
  { origin, tokenString, certificates }: VisitorOptions,
): Promise<EmbedVisitor> {
  const child = fork(CLIENT, [origin, tokenString], {
    execPath: 'nsenter',
    execArgv: [...docker.networkArguments, process.execPath],
    env: { PATH: process.env.PATH, ...(certificates && { NODE_EXTRA_CA_CERTS: certificates }) },
  });
  let report: EmbedReport | undefined;
  child.on('message', (message) => {
    report = message as EmbedReport;
  });
  const waitForViews = async (count: number) => {
    const end = (report?.views ?? 0) + count;
    const check = () => {
      if (child.exitCode !== null) throw new Error('The visitor has ended: see its output above.');
      return report !== undefined && report.views >= end ? report : undefined;
    };
    return waitUntil(() => `${end} views: ${JSON.stringify(report)}`, check, {
      timeoutMs: TIMEOUT_MS,
    });
  };
  await waitForViews(1);
  return {
    waitForViews,
    async stop() {
      const exited = once(child, 'exit');
      child.send('stop');
      await exited;
      return report as EmbedReport;
    },
  };
}
