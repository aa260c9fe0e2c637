/** Time zone, language and location of a country, for captures that appear to come from there. */

/**
 * The main time zone of each country (the capital's if there are several), and the latitude and longitude of the city that the zone is
 * named after, rounded to 0.1°, about 10 km. From zone.tab in the IANA time zone database, which is in the public domain.
 */
const table = `
  ad Europe/Andorra 42.5 1.5, ae Asia/Dubai 25.3 55.3, af Asia/Kabul 34.5 69.2, ag America/Antigua 17.1 -61.8,
  ai America/Anguilla 18.2 -63.1, al Europe/Tirane 41.3 19.8, am Asia/Yerevan 40.2 44.5, ao Africa/Luanda -8.8 13.2,
  ar America/Argentina/Buenos_Aires -34.6 -58.5, as Pacific/Pago_Pago -14.3 -170.7, at Europe/Vienna 48.2 16.3,
  au Australia/Sydney -33.9 151.2, aw America/Aruba 12.5 -70, ax Europe/Mariehamn 60.1 19.9, az Asia/Baku 40.4 49.9,
  ba Europe/Sarajevo 43.9 18.4, bb America/Barbados 13.1 -59.6, bd Asia/Dhaka 23.7 90.4, be Europe/Brussels 50.8 4.3,
  bf Africa/Ouagadougou 12.4 -1.5, bg Europe/Sofia 42.7 23.3, bh Asia/Bahrain 26.4 50.6, bi Africa/Bujumbura -3.4 29.4,
  bj Africa/Porto-Novo 6.5 2.6, bl America/St_Barthelemy 17.9 -62.9, bm Atlantic/Bermuda 32.3 -64.8, bn Asia/Brunei 4.9 114.9,
  bo America/La_Paz -16.5 -68.2, bq America/Kralendijk 12.2 -68.3, br America/Sao_Paulo -23.5 -46.6, bs America/Nassau 25.1 -77.3,
  bt Asia/Thimphu 27.5 89.7, bw Africa/Gaborone -24.6 25.9, by Europe/Minsk 53.9 27.6, bz America/Belize 17.5 -88.2,
  ca America/Toronto 43.6 -79.4, cc Indian/Cocos -12.2 96.9, cd Africa/Kinshasa -4.3 15.3, cf Africa/Bangui 4.4 18.6,
  cg Africa/Brazzaville -4.3 15.3, ch Europe/Zurich 47.4 8.5, ci Africa/Abidjan 5.3 -4, ck Pacific/Rarotonga -21.2 -159.8,
  cl America/Santiago -33.5 -70.7, cm Africa/Douala 4 9.7, cn Asia/Shanghai 31.2 121.5, co America/Bogota 4.6 -74.1,
  cr America/Costa_Rica 9.9 -84.1, cu America/Havana 23.1 -82.4, cv Atlantic/Cape_Verde 14.9 -23.5, cw America/Curacao 12.2 -69,
  cx Indian/Christmas -10.4 105.7, cy Asia/Nicosia 35.2 33.4, cz Europe/Prague 50.1 14.4, de Europe/Berlin 52.5 13.4,
  dj Africa/Djibouti 11.6 43.1, dk Europe/Copenhagen 55.7 12.6, dm America/Dominica 15.3 -61.4, do America/Santo_Domingo 18.5 -69.9,
  dz Africa/Algiers 36.8 3, ec America/Guayaquil -2.2 -79.8, ee Europe/Tallinn 59.4 24.8, eg Africa/Cairo 30.1 31.2,
  eh Africa/El_Aaiun 27.1 -13.2, er Africa/Asmara 15.3 38.9, es Europe/Madrid 40.4 -3.7, et Africa/Addis_Ababa 9 38.7,
  fi Europe/Helsinki 60.2 25, fj Pacific/Fiji -18.1 178.4, fk Atlantic/Stanley -51.7 -57.9, fm Pacific/Pohnpei 7 158.2,
  fo Atlantic/Faroe 62 -6.8, fr Europe/Paris 48.9 2.3, ga Africa/Libreville 0.4 9.4, gb Europe/London 51.5 -0.1,
  gd America/Grenada 12.1 -61.8, ge Asia/Tbilisi 41.7 44.8, gf America/Cayenne 4.9 -52.3, gg Europe/Guernsey 49.5 -2.5,
  gh Africa/Accra 5.5 -0.2, gi Europe/Gibraltar 36.1 -5.3, gl America/Nuuk 64.2 -51.7, gm Africa/Banjul 13.5 -16.6,
  gn Africa/Conakry 9.5 -13.7, gp America/Guadeloupe 16.2 -61.5, gq Africa/Malabo 3.8 8.8, gr Europe/Athens 38 23.7,
  gt America/Guatemala 14.6 -90.5, gu Pacific/Guam 13.5 144.8, gw Africa/Bissau 11.8 -15.6, gy America/Guyana 6.8 -58.2,
  hk Asia/Hong_Kong 22.3 114.2, hn America/Tegucigalpa 14.1 -87.2, hr Europe/Zagreb 45.8 16, ht America/Port-au-Prince 18.5 -72.3,
  hu Europe/Budapest 47.5 19.1, id Asia/Jakarta -6.2 106.8, ie Europe/Dublin 53.3 -6.2, il Asia/Jerusalem 31.8 35.2,
  im Europe/Isle_of_Man 54.1 -4.5, in Asia/Kolkata 22.5 88.4, iq Asia/Baghdad 33.4 44.4, ir Asia/Tehran 35.7 51.4,
  is Atlantic/Reykjavik 64.2 -21.9, it Europe/Rome 41.9 12.5, je Europe/Jersey 49.2 -2.1, jm America/Jamaica 18 -76.8,
  jo Asia/Amman 31.9 35.9, jp Asia/Tokyo 35.6 139.7, ke Africa/Nairobi -1.3 36.8, kg Asia/Bishkek 42.9 74.6,
  kh Asia/Phnom_Penh 11.6 104.9, ki Pacific/Tarawa 1.4 173, km Indian/Comoro -11.7 43.3, kn America/St_Kitts 17.3 -62.7,
  kp Asia/Pyongyang 39 125.8, kr Asia/Seoul 37.5 127, kw Asia/Kuwait 29.3 48, ky America/Cayman 19.3 -81.4, kz Asia/Almaty 43.2 77,
  la Asia/Vientiane 18 102.6, lb Asia/Beirut 33.9 35.5, lc America/St_Lucia 14 -61, li Europe/Vaduz 47.1 9.5, lk Asia/Colombo 6.9 79.8,
  lr Africa/Monrovia 6.3 -10.8, ls Africa/Maseru -29.5 27.5, lt Europe/Vilnius 54.7 25.3, lu Europe/Luxembourg 49.6 6.2,
  lv Europe/Riga 57 24.1, ly Africa/Tripoli 32.9 13.2, ma Africa/Casablanca 33.6 -7.6, mc Europe/Monaco 43.7 7.4,
  md Europe/Chisinau 47 28.8, me Europe/Podgorica 42.4 19.3, mf America/Marigot 18.1 -63.1, mg Indian/Antananarivo -18.9 47.5,
  mh Pacific/Majuro 7.2 171.2, mk Europe/Skopje 42 21.4, ml Africa/Bamako 12.7 -8, mm Asia/Yangon 16.8 96.2,
  mn Asia/Ulaanbaatar 47.9 106.9, mo Asia/Macau 22.2 113.5, mp Pacific/Saipan 15.2 145.8, mq America/Martinique 14.6 -61.1,
  mr Africa/Nouakchott 18.1 -15.9, ms America/Montserrat 16.7 -62.2, mt Europe/Malta 35.9 14.5, mu Indian/Mauritius -20.2 57.5,
  mv Indian/Maldives 4.2 73.5, mw Africa/Blantyre -15.8 35, mx America/Mexico_City 19.4 -99.2, my Asia/Kuala_Lumpur 3.2 101.7,
  mz Africa/Maputo -26 32.6, na Africa/Windhoek -22.6 17.1, nc Pacific/Noumea -22.3 166.4, ne Africa/Niamey 13.5 2.1,
  nf Pacific/Norfolk -29.1 168, ng Africa/Lagos 6.5 3.4, ni America/Managua 12.2 -86.3, nl Europe/Amsterdam 52.4 4.9,
  no Europe/Oslo 59.9 10.8, np Asia/Kathmandu 27.7 85.3, nr Pacific/Nauru -0.5 166.9, nu Pacific/Niue -19 -169.9,
  nz Pacific/Auckland -36.9 174.8, om Asia/Muscat 23.6 58.6, pa America/Panama 9 -79.5, pe America/Lima -12.1 -77,
  pf Pacific/Tahiti -17.5 -149.6, pg Pacific/Port_Moresby -9.5 147.2, ph Asia/Manila 14.6 121, pk Asia/Karachi 24.9 67,
  pl Europe/Warsaw 52.2 21, pm America/Miquelon 47 -56.3, pn Pacific/Pitcairn -25.1 -130.1, pr America/Puerto_Rico 18.5 -66.1,
  ps Asia/Hebron 31.5 35.1, pt Europe/Lisbon 38.7 -9.1, pw Pacific/Palau 7.3 134.5, py America/Asuncion -25.3 -57.7,
  qa Asia/Qatar 25.3 51.5, re Indian/Reunion -20.9 55.5, ro Europe/Bucharest 44.4 26.1, rs Europe/Belgrade 44.8 20.5,
  ru Europe/Moscow 55.8 37.6, rw Africa/Kigali -1.9 30.1, sa Asia/Riyadh 24.6 46.7, sb Pacific/Guadalcanal -9.5 160.2,
  sc Indian/Mahe -4.7 55.5, sd Africa/Khartoum 15.6 32.5, se Europe/Stockholm 59.3 18.1, sg Asia/Singapore 1.3 103.8,
  sh Atlantic/St_Helena -15.9 -5.7, si Europe/Ljubljana 46 14.5, sj Arctic/Longyearbyen 78 16, sk Europe/Bratislava 48.1 17.1,
  sl Africa/Freetown 8.5 -13.2, sm Europe/San_Marino 43.9 12.5, sn Africa/Dakar 14.7 -17.4, so Africa/Mogadishu 2.1 45.4,
  sr America/Paramaribo 5.8 -55.2, ss Africa/Juba 4.8 31.6, st Africa/Sao_Tome 0.3 6.7, sv America/El_Salvador 13.7 -89.2,
  sx America/Lower_Princes 18.1 -63, sy Asia/Damascus 33.5 36.3, sz Africa/Mbabane -26.3 31.1, tc America/Grand_Turk 21.5 -71.1,
  td Africa/Ndjamena 12.1 15.1, tg Africa/Lome 6.1 1.2, th Asia/Bangkok 13.8 100.5, tj Asia/Dushanbe 38.6 68.8,
  tk Pacific/Fakaofo -9.4 -171.2, tl Asia/Dili -8.6 125.6, tm Asia/Ashgabat 38 58.4, tn Africa/Tunis 36.8 10.2,
  to Pacific/Tongatapu -21.1 -175.2, tr Europe/Istanbul 41 29, tt America/Port_of_Spain 10.7 -61.5, tv Pacific/Funafuti -8.5 179.2,
  tw Asia/Taipei 25.1 121.5, tz Africa/Dar_es_Salaam -6.8 39.3, ua Europe/Kyiv 50.4 30.5, ug Africa/Kampala 0.3 32.4,
  us America/New_York 40.7 -74, uy America/Montevideo -34.9 -56.2, uz Asia/Tashkent 41.3 69.3, va Europe/Vatican 41.9 12.4,
  vc America/St_Vincent 13.2 -61.2, ve America/Caracas 10.5 -66.9, vg America/Tortola 18.4 -64.6, vi America/St_Thomas 18.4 -64.9,
  vn Asia/Ho_Chi_Minh 10.8 106.7, vu Pacific/Efate -17.7 168.4, wf Pacific/Wallis -13.3 -176.2, ws Pacific/Apia -13.8 -171.7,
  ye Asia/Aden 12.8 45.2, yt Indian/Mayotte -12.8 45.2, za Africa/Johannesburg -26.2 28, zm Africa/Lusaka -15.4 28.3,
  zw Africa/Harare -17.8 31.1
`;

interface CountryFacts {
  /** IANA name. */
  timeZone: string;
  /** BCP 47 tag; undefined if Node has no data for the country's language. */
  locale: string | undefined;
  latitude: number;
  longitude: number;
}

/** @param code ISO 3166-1 code, such as `de`. @returns undefined for any other text, and for territories without an entry. */
export function countryFacts(code: string): CountryFacts | undefined {
  lines ??= new Map(table.split(",").map((line) => [line.trim().slice(0, 2), line.trim()]));
  const line = lines.get(code.toLowerCase());
  if (line === undefined) return undefined;
  const [, timeZone = "", latitude, longitude] = line.split(" ");
  return { timeZone, locale: localeOf(code), latitude: Number(latitude), longitude: Number(longitude) };
}
let lines: Map<string, string> | undefined;

/** The country's most likely language according to the Unicode Common Locale Data Repository (CLDR), which is part of Node. */
function localeOf(code: string): string | undefined {
  const { language, region } = new Intl.Locale(`und-${code}`).maximize();
  const tag = `${language}-${region}`;
  return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0 ? tag : undefined;
}
