import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  AuthRequiredData,
  errorCodes,
  PermissionDeniedData,
  ResourceRequestParams,
  UnsupportedVersionData,
} from '../../../../sidecar/protocol/errors.ts';
import { checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

describe('errors of the host', () => {
  it('have the ten codes of the specification, and two of ours outside of them', () => {
    verifies('host.error.ten');
    const own = Object.entries(errorCodes).filter(([, code]) => code > -32100);
    assert.deepEqual(own, [
      ['SessionNotFound', -32001],
      ['ProviderNotFound', -32002],
      ['SessionAlreadyExists', -32003],
      ['TurnInProgress', -32004],
      ['UnsupportedProtocolVersion', -32005],
      ['ContentNotFound', -32006],
      ['AuthRequired', -32007],
      ['NotFound', -32008],
      ['PermissionDenied', -32009],
      ['AlreadyExists', -32010],
      ['Conflict', -32011],
      ['Unavailable', -32012],
    ]);
  });

  it('carry data of the stated shapes', () => {
    verifies('host.error.-32005-data', 'host.error.-32007-data', 'host.error.-32009-data');
    checkShape(UnsupportedVersionData, { required: { supportedVersions: ['^0.7.0', '0.9.0'] } });
    checkShape(AuthRequiredData, { required: { resources: [{ resource: 'https://api.test' }] } });
    refuses(AuthRequiredData, { resources: [{ resource_name: 'Api' }] }, 'resources');
    const request = { channel: 'host-root://', uri: 'file:///a' };
    checkShape(PermissionDeniedData, { required: {}, optional: { request } });
    checkShape(ResourceRequestParams, { required: request, optional: { read: true, write: false } });
  });
});
