import { Fault } from '../../platform/faults.ts';
import type { SessionFiles, TurnHost, TurnRequest } from '../provider.ts';
import { upstreamOf } from './repository.ts';
import { type CloudAgent, isWebAddress, type Launch } from './wire.ts';

type Asks = Pick<TurnHost, 'ask'>;

export interface AskLaunchDeps {
  readonly name: string;
  readonly folder: string | undefined;
  readonly files: SessionFiles;
  readonly request: Pick<TurnRequest, 'turnId'>;
  readonly host: Asks;
}

/**
 * Asks what the new agent works on, before anything is sent to the service.
 *
 * @returns `undefined` if the user does not want to launch it
 * @throws {Fault} `invalid_params` for a repository without an address of the web
 */
export async function askLaunch(deps: AskLaunchDeps): Promise<Omit<Launch, 'prompt'> | undefined> {
  const { name, folder, files, request, host } = deps;
  const { repository, branch } = await upstreamOf(folder, files);
  const { response, values } = await host.ask({
    id: `${request.turnId}-launch`,
    message: `Launch a cloud agent? Your message and its attachments are sent to ${name}. The agent works on the branch as it was pushed, not on the files on this machine.`,
    questions: [
      {
        kind: 'text',
        id: 'repository',
        message: 'Address of the repository',
        required: true,
        ...(repository !== undefined && { defaultValue: repository }),
      },
      {
        kind: 'text',
        id: 'ref',
        message: 'Branch to start from. If empty, the default branch.',
        ...(branch !== undefined && { defaultValue: branch }),
      },
      { kind: 'boolean', id: 'pullRequest', message: 'Open a pull request when finished', defaultValue: false },
    ],
  });
  const chosen = values['repository'];
  if (response !== 'accept' || typeof chosen !== 'string') return undefined;
  if (!isWebAddress(chosen)) {
    throw new Fault(
      'invalid_params',
      'The repository must be a web address such as https://git.example/owner/name. Send the message again.',
    );
  }
  const ref = values['ref'];
  return {
    repository: chosen,
    ref: typeof ref === 'string' && ref.trim() !== '' ? ref.trim() : undefined,
    autoCreatePr: values['pullRequest'] === true,
  };
}

/** @returns `undefined` if the user chose none */
export async function askWhich(
  host: Asks,
  turnId: string,
  agents: readonly CloudAgent[],
): Promise<CloudAgent | undefined> {
  const { response, values } = await host.ask({
    id: `${turnId}-agents`,
    message: 'Which cloud agent does this session continue?',
    questions: [
      {
        kind: 'single-select',
        id: 'agent',
        message: 'Agent',
        required: true,
        options: agents.map((it) => ({
          id: it.id,
          label: it.name,
          description: [it.status, it.repository, it.branch].filter((part) => part !== undefined).join(' · '),
        })),
      },
    ],
  });
  return response === 'accept' ? agents.find((it) => it.id === values['agent']) : undefined;
}

export async function askDeletion(host: Asks, turnId: string): Promise<boolean> {
  const { response, values } = await host.ask({
    id: `${turnId}-delete`,
    message: 'The service deletes the cloud agent and its conversation. You cannot undo this.',
    questions: [{ kind: 'boolean', id: 'delete', message: 'Delete the cloud agent', defaultValue: false }],
  });
  return response === 'accept' && values['delete'] === true;
}
