"""What the prose of an error speaks of: a key that is refused, money, a pace, a load, a request. Pure.

Not a list of sentences: a text is cut into sentences of plain words, and in a sentence a thing stands near what befell it (a balance
that is too low, a token that has expired), in either order. English, and the Chinese of the services that answer in it. What is
denied ("not your usage limit") does not count, and a key of somebody else (a proxy, an MCP server, git) is none of the program's.
"""

from __future__ import annotations

import re
from typing import Final

from quarterdeck.agents.error_classes import AUTH, INVALID, LOAD, OTHER, RATE, USAGE
from quarterdeck.domain.states import ErrorClass

CHARS_MAX: Final = 4000
"""Of a text that is read: an error says at its beginning what it is."""
_URL = re.compile(r"\bhttps?://\S+")
_DENIAL = re.compile(
    r"\bnot (?:your|an?|the|related to|count\w* against) [\w' ]{0,40}?(?:limits?|quota)\b"
    r"|\bno (?:credits?|funds|tokens?) (?:was|were|has been|have been) (?:charged|used|deducted|consumed)\b"
)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = re.compile(r"[_\u2010-\u2015`'\"*]+|(?<=\w)-(?=\w)|(?<=\w)\.(?=[a-z])")
_CLAUSE = re.compile(r"[.:,;!?]")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019](?=\w)")


def _near(one: str, other: str, gap: int = 5) -> str:
    """Both in one sentence with no more than `gap` words between them."""
    between = rf"(?:[^\w.!?;\n]+\w+){{0,{gap}}}?[^\w.!?;\n]+"
    return rf"\b(?:{one})\b{between}(?:{other})\b|\b(?:{other})\b{between}(?:{one})\b"


_KEYS = (
    r"api ?keys?|(?:access|auth|authentication|authorization|oauth|refresh|bearer|security|id|ide|session|user|login|virtual) tokens?"
    r"|(?:auth |authentication |aws |default |login |google )?credentials?|subscription key|secret key|virtual key|request signature"
    r"|(?:oauth|login|sso|auth) session|authorization header"
)
_REFUSED = (
    r"invalid|incorrect|wrong|bad|expired|revoked|missing|malformed|unrecognized|unrecognised|deactivated|disabled|deleted|leaked"
    r"|compromised|suspended|rejected|absent|not (?:found|valid|provided|set|configured|present|recognized|recognised|supplied|accepted)"
    r"|no longer valid|no|(?:could|can) ?not be (?:refreshed|loaded|verified|validated|found|resolved)|cannot be (?:refreshed|loaded)"
    r"|(?:did not|didnt|must|please) (?:provide|include|supply|pass|specify|set)|(?:could not|failed to|unable to)(?: automatically)? (?:load|refresh|resolve|find|verify|validate|determine|retrieve|obtain|get|fetch|acquire)"
    r"|does not exist|doesnt exist|has been (?:disabled|blocked)|is required|required|make sure"
)
_TOKEN = (
    r"(?:invalid|expired|revoked) token\b(?! (?:count|limit|usage))|\b(?:token|login) (?:is |was |has )?(?:been )?(?:invalid\w*|expired|revoked)\b"
    r"|\b(?:organization|workspace|account|user) (?:is |was |has )?(?:been )?(?:disabled|deactivated|locked|banned|restricted|suspended)\b(?! (?:from|to)\b)|\bdeactivated (?:workspace|account)\b"
    r"|\b(?:fail\w*|unable|could not) to refresh (?:\w+ )?token\b|\btoken refresh (?:failed|error)|\btoken data is not available\b"
    r"|\bunregistered callers\b|\bno longer a member\b|\bsignature (?:has )?expired\b|\bsession (?:has )?(?:ended|expired)\b|\b(?:key|token|credential) (?:env|environment) variable\b|\bauth method\b"
)
_SIGN_IN = (
    r"not (?:logged|signed) in|please (?:run )?/?(?:log|sign) ?in|(?:log|sign|logged|signed|logging|signing) ?in again|re ?auth(?:enticate)?|please login"
    r"|(?:authentication|authorization|login|sign ?in) (?:flow )?(?:is |was )?(?:required|failed|fails|failure|expired|invalid|error|timed out)"
    r"|(?:failed|unable) to (?:authenticate|log ?in|sign in)|(?:could not|cannot) authenticate|unauthenticated|invalid grant|error authenticating|unauthorized|unauthorised"
    r"|invalid authentication|requires authentication|could not resolve authentication|(?:codex|kimi|auth) login"
    r"|this organization has been disabled"
)
_ZH_KEYS = r"(?:密钥|令牌|凭证|鉴权|认证|身份验证|api ?key|token|登录)"
_ZH_REFUSED = r"(?:无效|错误|过期|失效|不正确|不存在|失败|缺失|非法|未提供|被禁用|为空)"
_ZH_AUTH = rf"{_ZH_KEYS}[^。；\n]{{0,12}}{_ZH_REFUSED}|(?:无效|错误|非法|过期)的?[^。；\n]{{0,6}}{_ZH_KEYS}|未登录|请重新登录|未授权"
_FOREIGN = re.compile(
    r"\bproxy\b(?! server token)|\bmcp\b|\bgit\b|\bnpm\b|\bdocker\b|\bregistry\b|\bssh\b|\bcertificates?\b|\btool (?:call|failed|error)\b|\bplugin\b"
    r"|\bfile\b|\bgateway\b|\bclock\b|\btls\b|\bssl\b"
)
"""Whose keys are none of the program's own; and what makes a key seem wrong that is not."""
_FUNDS = (
    r"balances?|credits?|premium requests?|prepayment|credit balance|funds|budgets?|quotas?|allowance|allotment|spend(?:ing)? (?:limits?|caps?)|usage limits?|usage cap"
    r"|free tier|free usage|(?:free|daily) allocation|free plan|usage cap|spending cap|billing (?:hard )?limit|plan limit|(?:hourly|daily|weekly|monthly|session|message|opus|sonnet|account|plan|key|hour) limits?"
    r"|(?:requests|tokens|calls) per (?:day|week|month)"
)
_SPENT = (
    r"insufficient|exceed\w*|exhausted|depleted|too low|used up|ran out|run out|out of|reached|hit|no|zero|negative|not enough|lacks?|overdue"
    r"|required|empty|(?:do not|dont|does not|doesnt) have (?:any|enough)|consumed|surpassed|over|more|unable to verify|used|discontinued|ended|does not include|finished"
)
_LONG = r"per (?:day|week|month)|hourly|daily|weekly|monthly|\d+ ?hour"
_SPENT_LONG = r"limits?|limited|exceeded|reached|exhausted"
_PAID = (
    r"payment required|payment (?:is )?(?:overdue|failed)|overdue payment|account is in good standing|in arrears|past due|please (?:recharge|top up)"
    r"|billing (?:is )?(?:not active|not enabled|disabled|inactive)|billing to be enabled|subscription (?:has |is )?(?:expired|ended|inactive|cancell?ed)"
    r"|membership benefits|too many tokens per day|per day limit|no payment method|payment method (?:is )?(?:required|missing)|requires? a (?:valid )?(?:credit card|payment method)|no resource package|requires? (?:paid|a paid)|(?:hit|reached) (?:your|the|its) (?!rate|request|concurren|token|tpm|rpm|max)[\w ]{0,40}limit"
    r"|account is suspended due to|upgrade (?:to|your) (?:plus|pro|plan|increase)|extra usage|no active subscription|(?:free )?trial (?:has |is )?(?:been )?(?:expired|ended|over)|subscription (?:is )?required|billing cycle"
)
_ZH_USED = (
    r"(?:余额|额度|配额|资源包|点数|积分|限额|套餐|用量)[^。；\n]{0,10}(?:不足|用完|用尽|耗尽|超出|已达|上限|到期|过期)|欠费|请充值|使用上限|次数限额"
    r"|(?:超出|超过|用完|已达)[^。；\n]{0,8}(?:余额|额度|配额|限额|用量)"
)
_RATE = (
    r"rate ?limit\w*|too many (?:requests|tokens|concurrent)|throttl\w+|(?:requests?|tokens?|calls?|quota)[\w ]{0,30}? (?:per|a) (?:min\w*|sec\w*)"
    r"|per (?:minute|second)|rpm|tpm|rate exceeded|request rate|(?:concurrency|concurrent)[\w ]{0,30}(?:limit|exceed\w*|reached|quota)"
    r"|slow down|too (?:fast|quickly|frequent\w*)|(?<!free )allocated quota exceeded"
)
_ZH_RATE = r"频率|并发|限流|速率|请求过多|过于频繁|流量限制|每分钟|每秒|请求太快"
_FULL = (
    r"overload\w*|no capacity|(?:at|over|insufficient) capacity|capacity (?:is )?(?:exceeded|exhausted|unavailable|constraints)|(?:high|heavy) (?:demand|load|traffic)"
    r"|(?:server|service|system|model|engine)s? (?:is |are )?(?:currently |too )*busy"
)
_ZH_FULL = r"访问量过大|繁忙|过载|负载(?:过高|已)|服务不可用|暂时不可用"
_LOAD = (
    r"internal (?:server )?error (?:encountered|has occurred)|internal server error|bad gateway|gateway time ?out|service (?:is )?(?:temporarily |currently )?unavailable"
    r"|(?:temporarily|currently) unavailable|no healthy upstream|upstream connect|not ready|no available (?:model )?(?:providers?|channels?|servers?)"
    r"|server had an error|stream (?:disconnected|closed|ended) (?:before|unexpectedly)|(?:closed|stalled) mid|mid (?:response|stream)"
    r"|deadline (?:exceeded|expired)|models? is (?:currently )?loading|(?:provider|upstream|server|backend|peer) (?:has |was )?(?:disconnected|hung up|went away|timed out|closed the connection)|error while reading the server response|(?:processing|process) your request|you can retry|model serving|error occurred while|not ready|try again shortly|upstream (?:request|failed)"
)
_ZH_LOAD = r"内部(?:服务)?(?:器)?错误|系统错误|服务异常"
_INVALID = (
    r"(?:prompt|input|context|request|message|conversation|image|file|pdf|payload|body)s?[\w ]{0,40}? too (?:long|large|big)"
    r"|context (?:length|window|size)|maximum (?:context|prompt|number of tokens|length)|(?:model )?token limit|reduce the length"
    r"|(?:models?|deployment|engine)\b[^.!?;\n]{0,80}?(?:not found|not exist|does not exist|doesnt exist|not supported|isnt supported|unsupported|invalid)"
    r"|(?:unknown|invalid|unsupported|no such) (?:model|parameter|value|request|argument|json|image|prompt|field|schema)"
    r"|is not supported (?:with|for|when|by)|content (?:policy|filter\w*)|inappropriate content|unprocessable|validation error|image poisoning|usage policy|not a valid model|no models? (?:is |are |was )?(?:currently )?loaded|(?:session|thread|conversation|rollout) not found|no (?:session|thread|conversation|rollout) (?:with|found)|too many tokens in|no endpoints found|bad request|malformed (?:request|json)"
)
_ZH_INVALID = r"参数|模型不存在|不支持|超长|长度超|上下文|敏感内容|不安全"
_OF_OTHERS = re.compile(r"\bgit\b|\bmcp\b")
"""Also in an address."""
_UNPAID = re.compile(
    rf"{_near('balances?|credits?|funds|prepayment', _SPENT)}|\b(?:payment required|no payment method)\b|余额[^。；\n]{{0,10}}不足|欠费"
)
_CONNECTION = re.compile(
    r"\b(?:connection|stream|transport|socket|timed? out|timeout|closed|busy|session|process|exited|crashed)\b"
)
_PLACES = r"ip|origin|country|region|territory|location"
_UNWELCOME = r"not|isnt|blocked|unsupported|denied|forbidden|restricted"
_DENIED = re.compile(
    rf"\b(?:{_PLACES})\b[^;\n]{{0,40}}\b(?:{_UNWELCOME})\b|\b(?:{_UNWELCOME})\b[^;\n]{{0,40}}\b(?:{_PLACES})\b|\bip 不在"
    r"|\borgani[sz]ation must be verified\b|\bsignature not yet current\b|\bnot eligible\b|\bnot allowed to (?:access|use)\b"
    r"|\b(?:principal|key|token) (?:does not|doesnt) have access\b|\blacks (?:the )?(?:required )?(?:data action|permissions?|roles?|scopes?)\b"
    r"|\binsufficient permissions?\b|\bmissing scopes?\b"
)
_NAMED_SIGN_IN = re.compile(
    r"\b(?:auth|authentication|authenticate\w*|unauthenticated|log ?in|logged in|sign ?in|signed in|credentials?)\b|"
    + _near("keys?|tokens?|account|password", _REFUSED)
)
_AGAIN = re.compile(r"\b(?:log|sign|logged|signed|logging|signing) ?in again\b|\bre ?auth(?:enticate)?\b")
_KEY_SENSE = re.compile("|".join((_near(_KEYS, _REFUSED), rf"\b{_TOKEN}", _ZH_AUTH)))
_SIGN_IN_SENSE = re.compile(rf"\b(?:{_SIGN_IN})\b")
_SENSES: Final = (
    (
        USAGE,
        re.compile(
            "|".join((_near(_FUNDS, _SPENT), _near(_LONG, _SPENT_LONG, 4), rf"\b(?:{_PAID})\b", _ZH_USED))
        ),
    ),
    (RATE, re.compile(rf"\b(?:{_RATE})\b|{_ZH_RATE}")),
    (LOAD, re.compile(rf"\b(?:{_FULL}|{_LOAD})\b|{_ZH_FULL}|{_ZH_LOAD}")),
)
_SHORT = re.compile(r"\bper (?:minute|second)\b|\brpm\b|\btpm\b|allocated quota")
_OF_DAYS = re.compile(r"\b(?:day|week|month|daily|weekly|monthly)\b")
_OF_SERVERS = re.compile(r"\bmcp\b|\berror pos ?ting to endpoint\b|\bsse error\b|\bstreamable http\b")
"""An MCP server's own refusal, also as the SDK of that protocol words it."""
_UNREACHED = re.compile(
    r"\b(?:error sending request|failed to lookup address|name resolution|dns error|getaddrinfo|enotfound|econnrefused|connection refused"
    r"|tls handshake|handshake failed|invalid peer certificate|certificate verify failed|local issuer certificate|self signed certificate|unknown ?issuer|connect etimedout|os error (?:10061|111|101|113)"
    r"|(?:unable|failed|could not) to? ?connect|tcp connect error|network is unreachable|no route to host)\b"
)
_FULL_SENSE = re.compile(rf"\b(?:{_FULL})\b|{_ZH_FULL}")
_INVALID_SENSE = re.compile(rf"\b(?:{_INVALID})\b|{_ZH_INVALID}")


def plain(text: str) -> str:
    """A text as plain words in small letters: without addresses, with the parts of names apart, without what it denies."""
    said = _URL.sub(" ", text[:CHARS_MAX])
    said = _APOSTROPHE.sub("", said)
    said = _JOINTS.sub(" ", _HUMP.sub(" ", said)).lower()
    return _DENIAL.sub(" ", said)


def class_read(text: str) -> ErrorClass | None:
    """What a text speaks of, where nothing else is known; None where it says nothing that is known."""
    said = plain(text)
    for kind, sense in _SENSES:
        if sense.search(said):
            return narrowed(said) if kind in (USAGE, RATE) else kind
    if _DENIED.search(said):
        return OTHER
    if not _is_foreign(text, said) and (_KEY_SENSE.search(said) or _SIGN_IN_SENSE.search(said)):
        return AUTH
    is_own = _OF_OTHERS.search(text[:CHARS_MAX].lower()) is None
    return INVALID if is_own and _INVALID_SENSE.search(said) else None


def narrowed(said: str) -> ErrorClass:
    """Of plain words about a limit: whose it is, and whether anything is left."""
    if _FULL_SENSE.search(said):
        return LOAD
    if re.search(r"\b(?:tpd|rpd)\b", said):  # tokens, requests per day
        return USAGE
    is_paced = _SENSES[1][1].search(said) is not None
    is_spent = _SENSES[0][1].search(said) is not None
    if is_spent and is_paced:
        return RATE if is_by_minute(said) else USAGE
    return USAGE if is_spent else RATE


def is_spent(text: str) -> bool:
    """Whether it says that money, a plan or a quota is used up."""
    said = plain(text)
    return _SENSES[0][1].search(said) is not None and narrowed(said) is USAGE


def is_by_minute(text: str) -> bool:
    """Whether a limit of it is one of a minute or a second, and of no longer time."""
    said = plain(text)
    return _SHORT.search(said) is not None and _OF_DAYS.search(said) is None


def is_paced(text: str) -> bool:
    """Whether it says outright that calls come too fast."""
    return re.search(r"\brate ?limit|\btoo many requests\b|\bthrottl", plain(text)) is not None


def is_about_key(text: str) -> bool:
    """Whether it says of the program's own key that it is refused: not only that something is not authorized."""
    said = plain(text)
    return _KEY_SENSE.search(said) is not None and not _is_foreign(text, said) and not _DENIED.search(said)


def asks_again(text: str) -> bool:
    """Whether it asks outright for a new sign-in, which a rule of the service does not."""
    said = plain(text)
    return _AGAIN.search(said) is not None and not _is_foreign(text, said) and not _DENIED.search(said)


def begins_with_key(text: str) -> bool:
    """Whether it says so at once: what stands behind a colon may be quoted."""
    return any(is_about_key(_CLAUSE.split(line, maxsplit=1)[0]) for line in text[:CHARS_MAX].splitlines())


def is_unpaid(text: str) -> bool:
    """Whether it says outright that there is no money, which no fault of a service does."""
    return _UNPAID.search(plain(text)) is not None


def is_of_connection(text: str) -> bool:
    """Whether it speaks of a program or a line between programs, not of a service."""
    return _CONNECTION.search(plain(text)) is not None


def names_sign_in(text: str) -> bool:
    """Whether it names a sign-in, or a key of whatever kind that is refused."""
    return _NAMED_SIGN_IN.search(plain(text)) is not None


def _is_foreign(text: str, said: str) -> bool:
    return _FOREIGN.search(said) is not None or _OF_OTHERS.search(text[:CHARS_MAX].lower()) is not None


def is_denied(text: str) -> bool:
    """Whether a rule of the service, or somebody else's key, stands behind a refusal."""
    said = plain(text)
    return _DENIED.search(said) is not None or _OF_SERVERS.search(said) is not None


def is_unreached(text: str) -> bool:
    """Whether it says that the service was never spoken to: a name that is not known, a connection or a certificate that failed."""
    return _UNREACHED.search(plain(text)) is not None


def is_of_gateway(text: str) -> bool:
    """Whether it says itself that something between the program and the service refused."""
    return re.search(r"\bgateway\b|\bproxy\b(?! server token)", plain(text)) is not None
