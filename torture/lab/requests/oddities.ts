import { list } from '../list.ts'

// Values that clients should not send or rarely send, and that software often handles incorrectly.

export const NAMES = list(
  'Rex¦Bella¦bella¦Мурка¦小白¦日本語¦さくら¦ｻｸﾗ¦고양이¦חתול¦قطة¦แมว¦बिल्ली¦Ζεύς¦ΖΕΥΣ¦Großer¦GROẞER¦İ¦ı¦I¦ǅ¦ﬁ¦é',
  'e\u0301¦z\u0335\u0321\u033b\u0310¦👩‍👩‍👧¦🐕‍🦺¦🇺🇦¦\u{10ffff}¦🐕¦\u00a0¦\u00ad¦\u200b¦\u200f¦\u2028',
  '\u202e¦\u3000¦\ue000¦\ufdd0¦\ufeff¦\ufffd¦\uffff¦O\'Malley¦"quoted"¦back\\slash',
  "'; drop table pet; --¦%s%n¦%_¦$1¦{}¦</script>¦__proto__¦null¦a b  c",
)

/** Names that the service rejects. */
export const BAD_NAMES = list('¦ ¦\u3000¦\0¦a\0b¦\x7f¦\x85¦\n¦\t¦\ud83d¦\udc15')

/** JSON values for an integer. */
export const INTEGERS = list(
  '0¦-0¦-1¦9¦1.0¦10e-1¦1e0¦1E2¦1.5¦1e-400¦1e400¦-1e400¦1.0000000000000000001¦2147483647¦2147483648',
  '-2147483649¦4294967296¦9007199254740991¦9007199254740992¦9007199254740993¦-9007199254740993',
  '9223372036854775807¦9223372036854775808¦-9223372036854775808¦-9223372036854775809',
  '92233720368547758070e-1¦18446744073709551616¦100000000000000000000000000000000000000000¦"1"¦"0x1"',
  'null¦true¦false¦[]¦[1]¦{}¦""',
)

/** Path segments for an id. */
export const PATH_IDS = list(
  '0¦-1¦-0¦+1¦01¦1.0¦1e0¦0x1¦abc¦%31¦1%00¦%00¦%20¦1%20¦%2F¦%zz¦%¦%ff¦%F0%9F%90%95¦9007199254740993',
  '9223372036854775807¦9223372036854775808¦-9223372036854775808¦-9223372036854775809',
  '99999999999999999999999¦é¦1;a=b¦1?status=sold¦1#fragment¦__proto__¦¦.¦..¦1/¦1//history¦1/histories',
)

/** Paths that are in the description, or similar to them. */
export const ADDRESSES = [
  ...list(
    '/v1¦/v1/¦/v1//pets¦/v1/pets/¦/V1/pets¦/v1/Pets¦/v1/pets/1/history/2¦/v1/petz¦/v1/%70ets',
    '/v1/pets%2F1¦/v1/pets;x=1¦/v1/pets?¦/v1/pets?%zz=1¦/v1/pets?limit=%zz¦/v1/pets?status=%00',
    '/v1/pets?limit=5#status¦/v1/../v1/pets¦/v1/store¦/v1/store/orders/1/2',
    '/v1/store/orders?petId=x&status=y¦/v1/inventory?x=1¦/v1/inventory¦/v1/categories¦/w1/pets',
    'http://pets.example/v1/pets?limit=2¦http://other.example/v1/petz',
  ),
  ...[8_000, 8_300].map((length) => `/v1/pets?x=${'x'.repeat(length)}`),
]
export const OTHER_ADDRESSES = list(
  '/¦//¦*¦/pets¦/livez¦/readyz¦/openapi.json¦/docs¦/.well-known/api-catalog¦/favicon.ico',
)

export const MEDIA_TYPES = list(
  'application/json; charset=utf-8¦application/json;charset="UTF-8"; a=b',
  'application/json; charset=latin1¦APPLICATION/JSON¦application/merge-patch+json',
  'application/x-www-form-urlencoded¦multipart/form-data; boundary=x¦text/plain¦text/json¦json¦¦é',
)

/** Requests that the HTTP parser or the first checks of the service reject. */
export const BROKEN = [
  'GARBAGE\r\n\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01',
  'GET /v1/pets HTTP/1.1\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a b\r\n\r\n',
  'GET /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET /v1/pets HTTP/1.0\r\n\r\n',
  'get /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET  /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost : a\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n',
  'GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Name: a\0b\r\n\r\n',
  'CONNECT pets.example:443 HTTP/1.1\r\nHost: pets.example:443\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
  'POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  `GET /v1/pets HTTP/1.1\r\nHost: a\r\nX-Name: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /v1/pets?${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
]
