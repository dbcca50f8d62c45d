// Errors of the authorization server: the codes of RFC 6749, and of OpenID Connect for requests without interaction.

export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }

  get status(): 400 | 401 {
    return this.code === 'invalid_client' ? 401 : 400;
  }

  get body(): { readonly error: OAuthErrorCode; readonly error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}
