"""The words that services and programs put into fields for machines, and what each says: data, by whose words they are. Pure.

Collected from what each defines of its own errors. A word stands here once, whoever else says it too; how it is spelled does not
matter (`error_classes.spelled`). What is not here is read as words are (`error_reading`), and is then never sure.
"""

from __future__ import annotations

from typing import Final

KEY: Final = (
    # Anthropic, Claude Code, OpenAI, Azure, Codex
    "authentication_error authenticationerror invalid_api_key account_deactivated invalid_authentication oauth_org_not_allowed"
    " validation_required verification_required token_expired token_invalidated token_revoked refresh_token_expired refresh_token_reused"
    " refresh_token_invalidated invalid_issuer mismatched_organization deactivated_workspace organization_deactivated"
    # OAuth
    " invalid_grant invalid_rapt invalid_client invalid_token"
    # Google
    " access_token_expired access_token_scope_insufficient account_state_invalid api_key_invalid consumer_suspended credentials_missing"
    " unauthenticated session_cookie_expired session_cookie_invalid"
    # Kimi, GLM (1000 to 1004 the token, 1110 to 1121 the account), Model Studio, xAI, Novita, Zen
    " invalid_authentication_error 1000 1001 1002 1003 1004 1110 1111 1112 1121 incorrect_api_key invalid_apikey no_api_key"
    " missing_api_key failed_to_auth"
    # Bedrock
    " unrecognizedclientexception expiredtokenexception expiredtoken invalidclienttokenid missingauthenticationtoken"
    " missingauthenticationtokenexception incompletesignature invalidsignatureexception signaturedoesnotmatch credentialsprovidererror"
    # Gemini CLI, GitHub
    " fatalauthenticationerror unauthorizederror bad_credentials"
)
"""Each says beyond doubt that the sign-in itself is refused, whatever the status. `authentication_failed` is not among them: Claude
Code says it of every 403, also of a key that may not use one model.
"""
SIGN_IN: Final = (
    "auth_required authentication_failed cloud_credential_error provider_auth_error unauthorized access_token_type_unsupported"
    " providerautherror autherror autherrors loginrequired"
)
"""They say no more than a 401 does."""
DENIED: Final = (
    "access_terminated account_restricted blocked_api_access cyber_policy ip_not_authorized request_forbidden"
    " unsupported_country_region_territory api_key_ip_address_blocked api_key_http_referrer_blocked api_key_service_blocked"
    " location_policy_violated org_restriction_violation security_policy_violated resource_project_invalid service_disabled"
    " access_denied.unpurchased requesttimetooskewed requestexpired 1220 1311"
)
"""A rule of the service stands against it, not the key: where it comes from, what it may use, by which clock."""
USED_UP: Final = (
    # Anthropic, Claude Code, OpenAI, Codex
    "account_on_hold billing_error billing_hard_limit_reached billing_not_active credit_balance_too_low credit_balance_exhausted"
    " insufficient_quota organization_spend_limit_exceeded organization_usage_limit_exceeded project_spend_limit_exceeded"
    " quota_exceeded usage_limit usage_limit_exceeded usage_limit_reached usage_not_included workspace_owner_credits_depleted"
    " workspace_member_credits_depleted workspace_owner_usage_limit_reached workspace_member_usage_limit_reached"
    # Google
    " billing_disabled insufficient_g1_credits_balance quota_exhausted quota_per_day daily_limit_exceeded dailylimitexceeded"
    " terminalquotaerror"
    # Kimi, GLM, Model Studio
    " exceeded_current_quota_error 1113 1304 1308 1309 1310 allocationquota.freetieronly arrearage prepaidbilloverdue"
    " postpaidbilloverdue commoditynotpurchased"
    # Bedrock, LiteLLM, Zen, Copilot, OpenRouter and other gateways
    " servicequotaexceededexception servicequotaexceeded budgetexceedederror budget_exceeded creditserror monthlylimiterror userlimiterror freeusagelimiterror"
    " subscriptionusagelimiterror gousagelimiterror insufficient_balance insufficient_credit insufficient_credits insufficient_user_quota"
    " payment_required not_enough_balance reject_no_credit quote_exceeded"
)
PACE: Final = (
    "quota_per_minute rate_limit rate_limit_error ratelimiterror rate_limit_exceeded rate_limited rate_limit_reached_error"
    " too_many_requests toomanyrequests user_rate_limit_exceeded ratelimitexceeded userratelimitexceeded retryablequotaerror"
    " throttling throttlingexception throttledexception throttling.ratequota throttling.burstrate throttling.allocationquota"
    " limit_requests limit_burst_rate toomanyrequestsexception requestlimitexceeded 1302 1303 1305 1313"
)
"""A limit; where the words beside it speak of what is used up, or of a long wait, it is that."""
BUSY: Final = (
    "capacity_exceeded engine_overloaded engine_overloaded_error model_capacity_exhausted no_capacity overloaded overloaded_error"
    " server_is_overloaded server_overloaded service_tier_capacity_exceeded slow_down modelnotreadyexception serviceunavailableexception"
    " modeltimeoutexception modelstreamerrorexception internalserverexception backenderror service_unavailable service_unavailable_error"
    " serviceunavailableerror internalfailure insufficient_capacity system_busy 1120 1234 1312 529"
)
WRONG: Final = (
    "content_filter content_policy_violation contentpolicyviolationerror context_length_exceeded context_overflow_error"
    " contextoverflowerror context_window_exceeded contextwindowexceedederror data_inspection_failed deployment_not_found"
    " invalid_image invalid_model invalid_prompt max_output_tokens messageoutputlengtherror model_not_found model_not_supported"
    " modelnotfounderror providermodelnotfounderror modelerror string_above_max_length validationexception"
    " resourcenotfoundexception unsupported_parameter unsupported_value 1210 1211 1212 1213 1214 1215 1221 1222 1261 1301"
)
BROAD_PACE: Final = "resource_exhausted"
BROAD_BUSY: Final = (
    "aborted api_error api_connection_error deadline_exceeded internal internal_error internal_server_error internalservererror"
    " server_error timeout timeout_error unavailable 500 1200 1230"
)
BROAD_WRONG: Final = (
    "bad_request badrequesterror conflict_error failed_precondition invalid_argument invalid_parameter invalid_params invalid_request"
    " invalid_request_error invalidrequesterror invalid_value not_found not_found_error notfounderror out_of_range request_too_large"
    " unprocessable_entity unprocessableentityerror unsupportedparamserror resource_not_found_error"
)
BROAD_DENIED: Final = "accessdenied accessdeniedexception forbidden permission_denied permission_denied_error permission_error permissiondeniederror"
