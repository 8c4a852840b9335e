/*
 * A seccomp filter, which refuses system calls that the worker does not need: an exploit of the kernel often starts
 * with one of them. It is a classic BPF program over `struct seccomp_data`; see seccomp(2).
 */

/** [x64, arm64]: the numbers of asm/unistd_64.h and asm-generic/unistd.h. undefined: the call does not exist. */
type CallNumbers = readonly [x64: number, arm64: number | undefined];

export const REFUSED_CALLS: Readonly<Record<string, CallNumbers>> = {
  // Sockets. The pipes of the parent exist already.
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  // Processes. Threads are created by clone, whose flags are checked.
  fork: [57, undefined],
  vfork: [58, undefined],
  // Other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  // Namespaces and mounts
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  fanotify_init: [300, 262],
  // Memory that is a file, and could be loaded as code
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  userfaultfd: [323, 282],
  vmsplice: [278, 75],
  // Keys, tracing, kernel code
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  // Shared memory and queues
  shmget: [29, 194],
  shmat: [30, 196],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  // The machine
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  syslog: [103, 116],
  personality: [135, 92],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
};

/** Refused with ENOSYS: the C library and libuv then use older calls, which are checked or harmless. */
export const UNAVAILABLE_CALLS: Readonly<Record<string, CallNumbers>> = {
  // Its flags are in memory, which a filter cannot read.
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

const CLONE: CallNumbers = [56, 220];
const CLONE_THREAD = 0x10000;

type Architecture = { index: 0 | 1; auditNumber: number };

const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  x64: { index: 0, auditNumber: 0xc000003e },
  arm64: { index: 1, auditNumber: 0xc00000b7 },
};

/** Calls of the x32 ABI, which have other numbers, start here. */
const X32_CALLS = 0x40000000;

// Fields of struct seccomp_data, as offsets in bytes. Both architectures are little-endian.
const [CALL_NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];

const ALLOW = 0x7fff0000;
const EPERM = 0x00050000 | 1;
const ENOSYS = 0x00050000 | 38;
const KILL = 0x80000000;

// Instructions: linux/bpf_common.h
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_GREATER_OR_EQUAL = 0x35;
const JUMP_IF_BITS_SET = 0x45;
const RETURN = 0x06;

type Instruction = { code: number; value: number; whenTrue?: number; whenFalse?: number };

/** What a filter is for. A browser has processes and sockets, and its own sandbox uses namespaces. */
export type FilteredProgram = 'worker' | 'browser';

/** What a browser needs. */
const BROWSER_CALLS: readonly string[] = [
  ...['socket', 'socketpair', 'connect', 'bind', 'listen', 'accept', 'accept4', 'fork', 'vfork'],
  ...['unshare', 'chroot', 'memfd_create', 'ptrace', 'clone3'],
];

/** Returns the filter as bytes for `bwrap --seccomp`; undefined for other architectures. */
export function createSeccompFilter(
  program: FilteredProgram,
  arch: string = process.arch,
): Buffer | undefined {
  const architecture = ARCHITECTURES[arch];
  return architecture && encode(compile(architecture, program));
}

function compile({ index, auditNumber }: Architecture, program: FilteredProgram): Instruction[] {
  const isRefused = (name: string) => program === 'worker' || !BROWSER_CALLS.includes(name);
  const refuse = (calls: Readonly<Record<string, CallNumbers>>, result: number) =>
    Object.entries(calls).flatMap(([name, numbers]) =>
      isRefused(name) ? returnIf(JUMP_IF_EQUAL, numbers[index], result) : [],
    );
  return [
    { code: LOAD, value: ARCHITECTURE },
    ...returnUnless(JUMP_IF_EQUAL, auditNumber, KILL),
    { code: LOAD, value: CALL_NUMBER },
    ...returnIf(JUMP_IF_GREATER_OR_EQUAL, X32_CALLS, EPERM),
    ...refuse(REFUSED_CALLS, EPERM),
    ...refuse(UNAVAILABLE_CALLS, ENOSYS),
    ...(program === 'browser' ? [{ code: RETURN, value: ALLOW }] : []),
    ...returnUnless(JUMP_IF_EQUAL, CLONE[index] as number, ALLOW),
    { code: LOAD, value: FIRST_ARGUMENT },
    ...returnIf(JUMP_IF_BITS_SET, CLONE_THREAD, ALLOW),
    { code: RETURN, value: EPERM },
  ];
}

function returnIf(code: number, operand: number | undefined, result: number): Instruction[] {
  if (operand === undefined) return [];
  return [
    { code, value: operand, whenFalse: 1 },
    { code: RETURN, value: result },
  ];
}

function returnUnless(code: number, operand: number, result: number): Instruction[] {
  return [
    { code, value: operand, whenTrue: 1 },
    { code: RETURN, value: result },
  ];
}

/** Encodes `struct sock_filter { u16 code; u8 jt; u8 jf; u32 k; }`. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, value, whenTrue = 0, whenFalse = 0 }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}
