/** The settings of a section of a systemd unit file, in order. A setting may appear several times. */
export function parseUnitSection(text: string, section: string): [key: string, value: string][] {
  const body = text.split(`[${section}]\n`)[1]?.split(/^\[/m)[0] ?? '';
  return [...body.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]);
}

/**
 * The shell script that starts a unit as systemd would, in a mount namespace of its own: as its user, with
 * its environment, and with a file system that is read-only but for the state directory and /tmp. Throws
 * for a setting that it cannot imitate.
 */
export function toStartScript(settings: readonly [key: string, value: string][]): string {
  const values = new Map(settings);
  const get = (key: string) => values.get(key) ?? '';
  for (const key of values.keys()) {
    if (!IMITATED.includes(key)) throw new Error(`The test does not imitate ${key}.`);
  }
  const environment = settings.filter(([key]) => key === 'Environment').map(([, value]) => value);
  const state = `/var/lib/${get('StateDirectory')}`;
  return [
    `mkdir -p ${state} && chown ${get('User')} ${state} && chmod ${get('StateDirectoryMode')} ${state}`,
    `mount --bind ${state} ${state}`,
    'mount -t tmpfs -o mode=1777 tmpfs /tmp',
    'mount -o remount,bind,ro /',
    `set -a; . ${get('EnvironmentFile')}; set +a`,
    `cd ${get('WorkingDirectory')}; umask ${get('UMask')}`,
    `exec setpriv --reuid=${get('User')} --regid=${get('User')} --clear-groups --no-new-privs \\
      env ${environment.join(' ')} ${get('ExecStart')}`,
  ].join('\n');
}

/** `Restart`, `KillMode` and `TimeoutStopSec` say what happens after the start. */
const IMITATED: readonly string[] = [
  ...['User', 'WorkingDirectory', 'StateDirectory', 'StateDirectoryMode', 'Environment'],
  ...['EnvironmentFile', 'ExecStart', 'UMask', 'NoNewPrivileges', 'ProtectSystem', 'PrivateTmp'],
  ...['Restart', 'KillMode', 'TimeoutStopSec'],
];
