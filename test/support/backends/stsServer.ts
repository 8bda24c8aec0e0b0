import { type EchoBackend, startEchoBackend } from './echoBackend.ts';

/** Answers AssumeRole with fresh keys each time, good until `until()`. Keeps what it was asked. */
export async function startStsServer(until: () => Date): Promise<EchoBackend> {
  const sts = await startEchoBackend();
  let count = 0;
  sts.answer = (_, response) => {
    count += 1;
    response
      .setHeader('content-type', 'text/xml')
      .end(`<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleResult><Credentials>
        <AccessKeyId>ASIAROLE${count}</AccessKeyId><SecretAccessKey>canary-role-secret-${count}</SecretAccessKey>
        <SessionToken>canary-role-session-${count}</SessionToken><Expiration>${until().toISOString()}</Expiration>
      </Credentials></AssumeRoleResult>
      <ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>
    </AssumeRoleResponse>`);
  };
  return sts;
}
