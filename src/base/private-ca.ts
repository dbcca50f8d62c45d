// What to do about the certificate of a server that Node does not trust.

const untrusted =
  /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?)$/;

export const isUntrustedCertificate = (code: string): boolean => untrusted.test(code);

export const privateCaHint =
  'If its CA is your own, set NODE_EXTRA_CA_CERTS=/path/ca.pem in the environment of the process. Node reads it when it starts, so not from .env.';
