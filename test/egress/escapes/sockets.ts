/** Ways other than HTTP: WebSocket, WebTransport, WebRTC. The last two use UDP, which bypasses HTTP proxies. */

import { click, script, type Way } from "./way.ts";

const gather = (servers: string) =>
  `const peer = new RTCPeerConnection({ iceServers: [${servers}] }); peer.createDataChannel("a");
   peer.createOffer().then((offer) => peer.setLocalDescription(offer))`;
const turn = (url: string) => `{ urls: "${url}", username: "a", credential: "b" }`;

/** Two WebRTC peers in one page; the second one's candidate is the secret's address. */
const meet = (candidate: string) =>
  `const here = new RTCPeerConnection(), there = new RTCPeerConnection(); here.createDataChannel("a");
   here.createOffer().then((offer) => here.setLocalDescription(offer))
     .then(() => there.setRemoteDescription(here.localDescription))
     .then(() => there.createAnswer())
     .then((answer) => { there.setLocalDescription(answer); return here.setRemoteDescription(answer) })
     .then(() => here.addIceCandidate({ sdpMid: "0", sdpMLineIndex: 0, candidate: "${candidate}" }))`;

export const sockets: Way[] = [
  script("WebSocket", ({ authority }) => `new WebSocket("ws://${authority}/")`),
  script("WebSocket over TLS", ({ authority }) => `new WebSocket("wss://${authority}/")`),
  script("WebSocket with an http URL", ({ secret }) => `new WebSocket("${secret}")`),
  click("WebSocket in a popup", ({ authority }) => `open("").eval('new WebSocket("ws://${authority}/")')`),
  script("WebTransport", ({ authority }) => `new WebTransport("https://${authority}/")`),
  script(
    "WebTransport in a worker",
    () => 'new Worker("worker.js")',
    ({ authority }) => ({ "worker.js": `new WebTransport("https://${authority}/")` }),
  ),
  script("WebRTC, STUN", ({ authority }) => gather(`{ urls: "stun:${authority}" }`)),
  script("WebRTC, TURN over UDP", ({ authority }) => gather(turn(`turn:${authority}?transport=udp`))),
  script("WebRTC, TURN over TCP", ({ authority }) => gather(turn(`turn:${authority}?transport=tcp`))),
  script("WebRTC, TURN over TLS", ({ authority }) => gather(turn(`turns:${authority}?transport=tcp`))),
  script("WebRTC, peer over UDP", ({ port }) => meet(`candidate:1 1 udp 2122260223 127.0.0.1 ${port} typ host`)),
  script("WebRTC, peer over TCP", ({ port }) => meet(`candidate:1 1 tcp 1518280447 127.0.0.1 ${port} typ host tcptype passive`)),
  script("WebRTC, peer under .local", ({ label, port }) => meet(`candidate:1 1 udp 2122260223 ${label}.local ${port} typ host`)),
];
