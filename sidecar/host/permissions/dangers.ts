import type { SimpleCommand } from './commandLine.ts';
import { programOf } from './wrappedCommands.ts';

/** Programs that are never approved by a rule, whatever their arguments. */
const always = new Set(
  (
    'dd shutdown reboot halt poweroff init telinit shred wipefs fdisk sfdisk parted mkswap mount umount swapoff ' +
    'sudo doas su pkexec runuser chroot nsenter unshare killall pkill iptables nft crontab at systemctl launchctl ' +
    'dropdb userdel groupdel passwd visudo diskutil format cipher vssadmin reg truncate'
  ).split(' '),
);
const recursive = new Set(['chmod', 'chown', 'chgrp', 'chattr', 'setfacl']);
const stdinRunners = /^(?:sh|bash|zsh|dash|ksh|ash|fish|python[\d.]*|node|perl|ruby|php)$/;
const bySubcommand: Record<string, RegExp> = {
  npm: /^(?:publish|unpublish|deprecate|owner|access|token)$/,
  yarn: /^(?:publish|npm)$/,
  pnpm: /^publish$/,
  cargo: /^(?:publish|yank)$/,
  docker: /^(?:rm|rmi|prune|system|volume|kill|run)$/,
  podman: /^(?:rm|rmi|prune|system|volume|kill|run)$/,
  kubectl: /^(?:delete|drain|replace|apply|patch|exec)$/,
  helm: /^(?:uninstall|delete|rollback)$/,
  terraform: /^(?:destroy|apply|state|import)$/,
  gh: /^(?:repo|release|secret|auth|api)$/,
};

/** True for what cannot be taken back by restoring the files of the workspace, or that acts as somebody else. */
export function isDestructive(command: SimpleCommand): boolean {
  const program = programOf(command).toLowerCase();
  const args = command.words.slice(1).map((it) => it.text);
  if (always.has(program) || program.startsWith('mkfs') || program.startsWith('newfs')) return true;
  if (program === 'rm' || program === 'del' || program === 'rd' || program === 'rmdir') {
    return hasFlag(args, /[rRsS]/, '--recursive') || command.words.slice(1).some((it) => it.glob);
  }
  if (recursive.has(program)) return hasFlag(args, /R/, '--recursive');
  if (program === 'kill') return args.some((it) => it === '-1' || /^-\d{2,}$/.test(it)) || args.includes('--');
  if (program === 'find') {
    return args.some((it) => /^-(?:delete|exec|execdir|ok|okdir|fprint|fprintf|fls)$/.test(it));
  }
  if (program === 'git') return isDestructiveGit(args);
  if (program === 'rsync') return args.some((it) => it.startsWith('--del'));
  if (stdinRunners.test(program) && command.piped && args.every((it) => it.startsWith('-'))) return true;
  const subcommand = args.find((it) => !it.startsWith('-'));
  return subcommand !== undefined && (bySubcommand[program]?.test(subcommand) ?? false);
}

function isDestructiveGit(args: readonly string[]): boolean {
  let at = 0;
  for (; at < args.length && args[at]!.startsWith('-'); at += 1) {
    // These bring configuration along, and configuration runs programs (aliases, hooks, ssh commands).
    if (/^(?:-c|--config-env|--exec-path)/.test(args[at]!)) return true;
    if (/^(?:-C|--git-dir|--work-tree|--namespace)$/.test(args[at]!)) at += 1;
  }
  const [subcommand = '', ...rest] = args.slice(at);
  const force = hasFlag(rest, /f/, '--force');
  switch (subcommand) {
    case 'push':
      return (
        force ||
        hasFlag(rest, /d/, '--delete') ||
        rest.some((it) => /^--(?:force|mirror|prune|receive-pack|exec)/.test(it) || /^[:+]/.test(it))
      );
    case 'reset':
      return rest.some((it) => /^--(?:hard|merge|keep)$/.test(it));
    case 'clean':
    case 'restore':
    case 'filter-branch':
    case 'filter-repo':
    case 'update-ref':
    case 'config':
    case 'prune':
    case 'gc':
    case 'rm':
      return true;
    case 'checkout':
    case 'switch':
      return force || rest.some((it) => it === '--' || it === '.' || it === '--discard-changes');
    case 'branch':
    case 'tag':
      return force || hasFlag(rest, /[dDMC]/, '--delete');
    case 'stash':
      return rest[0] === 'drop' || rest[0] === 'clear' || rest[0] === 'pop';
    case 'reflog':
      return rest[0] === 'expire' || rest[0] === 'delete';
    case 'worktree':
    case 'remote':
    case 'submodule':
      return rest.some((it) => /^(?:remove|rm|prune|deinit|foreach|set-url)$/.test(it));
    case 'rebase':
    case 'bisect':
      return hasFlag(rest, /x/, '--exec') || rest[0] === 'run';
    default:
      return rest.some((it) => /^--(?:upload-pack|receive-pack|ext-diff|open-files-in-pager|output)/.test(it));
  }
}

/** `letter` is looked for in bundles of short options (`-rf`) only. */
function hasFlag(args: readonly string[], letter: RegExp, long: string): boolean {
  return args.some((it) => it === long || it.startsWith(`${long}=`) || (/^-[A-Za-z]+$/.test(it) && letter.test(it)));
}
