/** Hosts and elements covered by real filter lists, one well-known name for each rule. */

const words = (text: string) => text.trim().split(/\s+/);

export const adHosts = words(`
  securepubads.g.doubleclick.net pagead2.googlesyndication.com ad.doubleclick.net c.amazon-adsystem.com aax.amazon-adsystem.com ib.adnxs.com
  acdn.adnxs.com trc.taboola.com static.criteo.net bidder.criteo.com ads.pubmatic.com image6.pubmatic.com fastlane.rubiconproject.com
  u.openx.net js-sec.indexww.com htlb.casalemedia.com ads.yieldmo.com cdn.adsafeprotected.com z.moatads.com ads.stickyadstv.com sync.teads.tv
  a.teads.tv match.adsrvr.org js.adsrvr.org prebid.smilewanted.com tlx.3lift.com eb2.3lift.com hb.undertone.com ads.adthrive.com
  ads.mediavine.com scripts.mediavine.com ads.themoneytizer.com cdn.snigelweb.com cdn.carbonads.com srv.carbonads.net srv.buysellads.com
  ads.revcontent.com trends.revcontent.com servedby.revive-adserver.net cdn.mgid.com jsc.mgid.com cdn.popcash.net serve.popads.net
  c1.popads.net adsterra.com cdn.adsninja.ca ads.gumgum.com g2.gumgum.com ads.sharethrough.com btlr.sharethrough.com ads.sonobi.com
  ads.betweendigital.com an.yandex.ru adfox.yandex.ru ad.mail.ru ads.kargo.com krk.kargo.com cdn.districtm.io ads.emxdgt.com
  biddr.brealtime.com ads.smartadserver.com www8.smartadserver.com ced.sascdn.com adx.adform.net track.adform.net cdn.connatix.com
  ads.vidoomy.com ads.ezoic.net player.aniview.com tag.vlitag.com bid.glass contextual.media.net static.media.net ads.linkedin.com
  ads.twitter.com static.ads-twitter.com ads.reddit.com ads.pinterest.com ads.tiktok.com imasdk.googleapis.com`);

export const trackerHosts = words(`
  www.google-analytics.com ssl.google-analytics.com stats.g.doubleclick.net static.hotjar.com script.hotjar.com bat.bing.com www.clarity.ms
  mc.yandex.ru top-fwz1.mail.ru cdn.segment.com api.segment.io cdn.mxpnl.com api.mixpanel.com api.amplitude.com api2.amplitude.com
  cdn.heapanalytics.com js-agent.newrelic.com bam.nr-data.net cdn.optimizely.com logx.optimizely.com sb.scorecardresearch.com
  edge.quantserve.com pixel.quantserve.com static.chartbeat.com ping.chartbeat.net edge.fullstory.com rs.fullstory.com cdn.mouseflow.com
  script.crazyegg.com cdn.inspectlet.com cdn.luckyorange.com tag.demandbase.com api.company-target.com analytics.tiktok.com tr.snapchat.com
  sc-static.net ct.pinterest.com static.cloudflareinsights.com plausible.io cdn.usefathom.com static.woopra.com stats.wp.com pixel.wp.com
  cdn.krxd.net beacon.krxd.net tags.bluekai.com dpm.demdex.net cm.everesttech.net sp.analytics.yahoo.com collect.tealiumiq.com
  cdn.permutive.com id5-sync.com lexicon.33across.com cdn.branch.io api2.branch.io view.adjust.com d.agkn.com loadm.exelator.com
  idsync.rlcdn.com pixel.tapad.com sync.crwdcntrl.net tags.crwdcntrl.net t.myvisualiq.net js.hs-analytics.net track.hubspot.com
  munchkin.marketo.net data.pendo.io static.getclicky.com counter.yadro.ru c.statcounter.com cdn.bizible.com cdn.kissmetrics.com
  tracker.metricool.com logs.datadoghq.com browser-intake-datadoghq.com`);

export const cookieHosts = words(
  `consent.cookiebot.com cdn.cookielaw.org app.usercentrics.eu delivery.consentmanager.net geolocation.onetrust.com`,
);

export const chatHosts = words(`
  widget.intercom.io js.driftt.com client.crisp.chat embed.tawk.to js.usemessages.com cdn.livechatinc.com wchat.freshchat.com code.tidio.co
  beacon-v2.helpscout.net config.gorgias.chat code.jivosite.com lptag.liveperson.net salesiq.zoho.com widget.getgist.com
  cdn.reamaze.com static.landbot.io`);

/** Elements, by id or class. */
export const adElements = words(`
  #AD_300 #ad--sidebar #ad-promo #adOuter #ad_lead1 #adlayerContainer #ads_title #article-ad-content #divAdHorizontal #gadsOverlayUnit
  #headeradvertholder #large-middle-leaderboard-ad #mini-ad #post-ad #pub_middle_home #right_ad_top #topnavad .ADBox .PushdownAd
  .ad--topmobile .ad-cen .ad-leader .ad-row-horizontal-top .ad-widget-list .adCenterAd .adUnitHorz .adalert-overlayer .adlist1
  .ads-placeholder-inside .ads_header_bottom .adsingleph .adv-cont .advert300 .advertisingarea-homepage .block-ads-yahoo .bus_adsbox
  .containerAdsense .dfp-interstitial .featureAd .gAdMainParent .jLinkSponsored .paywallAds .rightAdBox .stickyAdWrapper .widget-pub`);

export const cookieElements = words(`
  #onetrust-consent-sdk #didomi-notice #BlkCookies #accept-cookie #blogger_cookie_notice #content-cookies #cookie-msg #cookieControl
  #cookiePopUp #cookie_shout #cookies-bar #cookies_message_bar #divcook #gdpr-cookie-message #message_cookie #tripla-cookie-consent
  .O-CookieLaw .cookieDisclaimer .cookieleiste .cookiesnotice .future-cookie-bar .mainCookieAlerta .rltcp_information_cookie .wtm-cookies`);

export const chatElements = words(`
  #intercom-container .intercom-lightweight-app #drift-widget-container #crisp-chatbox .crisp-client #tawkchat-container
  #hubspot-messages-iframe-container #olark-wrapper #fc_frame #tidio-chat .woot-widget-holder #gorgias-chat-container .LPMcontainer
  #smartsupp-widget-container .zsiq_floatmain #reamaze-widget .fb-customerchat`);
