import { connect, type Socket } from 'node:net';
import Mail from 'nodemailer/lib/mailer';
import SMTPTransport from 'nodemailer/lib/smtp-transport';
import { Fault } from '../../../../platform/faults.ts';
import type { AlertMessage } from '../../../../protocol/gateway/alerts/event.ts';
import { type AlertTargetRecord, smtpPort } from '../../../../protocol/gateway/alerts/target.ts';
import { guardedLookup, isAllowed, type LookupAll, literalOf, refused } from '../../../backends/net/guard.ts';
import { reachWords } from '../../../backends/net/health.ts';
import { footOf, linesOf, titleOf } from '../words.ts';
import { notSent, SEND_MS, type Sent, sent } from './sent.ts';

/** Sends a message over SMTP, through the same guard as every other connection. */
export async function sendEmail(
  target: AlertTargetRecord,
  password: string | undefined,
  message: AlertMessage,
  lookup: LookupAll,
  signal: AbortSignal,
): Promise<Sent> {
  const { smtp_host: host = '', smtp_security = 'starttls', smtp_username: user, from, to } = target;
  try {
    const connection = await open(target, lookup, signal);
    const transport = new SMTPTransport({
      host: host ?? '',
      secure: smtp_security === 'tls',
      requireTLS: smtp_security === 'starttls',
      ignoreTLS: smtp_security === 'none',
      connection,
      connectionTimeout: SEND_MS,
      greetingTimeout: SEND_MS,
      socketTimeout: SEND_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(user && password !== undefined && { auth: { user, pass: password } }),
    });
    const stop = () => connection.destroy();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await new Mail(transport).sendMail({
        from: from ?? '',
        to: [...(to ?? [])],
        subject: `[Switchboard] ${titleOf(message)}`,
        text: [...linesOf(message), '', footOf(message), ''].join('\n'),
        messageId: `<${message.id}@switchboard>`,
        // Nobody answers to a program.
        headers: { 'auto-submitted': 'auto-generated' },
      });
    } finally {
      signal.removeEventListener('abort', stop);
      connection.destroy();
    }
    return sent;
  } catch (thrown) {
    signal.throwIfAborted();
    return failure(thrown);
  }
}

function open(target: AlertTargetRecord, lookup: LookupAll, signal: AbortSignal): Promise<Socket> {
  const policy = { allowPrivate: target.allow_private_network === true };
  const host = target.smtp_host ?? '';
  const literal = literalOf(host);
  if (literal !== undefined && !isAllowed(literal, policy)) throw refused('smtp_host', literal);
  return new Promise((done, fail) => {
    const socket = connect({ host, port: smtpPort(target), lookup: guardedLookup(policy, lookup), signal });
    socket.setTimeout(SEND_MS, () => socket.destroy(new Error('timeout')));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      socket.setTimeout(0);
      done(socket);
    });
  });
}

/** What the client says of an error, beside its words. */
interface SmtpFailure {
  readonly code?: unknown;
  /** Of the connection, where `code` says only that it failed. */
  readonly originalCode?: unknown;
  /** What the mail server answered. */
  readonly responseCode?: unknown;
}

/** By codes alone: what a server says may hold names and addresses. */
function failure(thrown: unknown): Sent {
  if (thrown instanceof Fault) return notSent(thrown.message, thrown.code === 'forbidden');
  const { code, originalCode, responseCode } = thrown as SmtpFailure;
  if (code === 'EAUTH') return notSent('The mail server rejected the username or password.', true);
  if (code === 'ETLS') return notSent('The mail server does not offer a secure connection that can be used.', true);
  if (typeof responseCode === 'number')
    return notSent(`The mail server rejected the message (${responseCode}).`, responseCode >= 500);
  return notSent(reachWords(originalCode === undefined ? thrown : Object.assign(new Error(), { code: originalCode })));
}
