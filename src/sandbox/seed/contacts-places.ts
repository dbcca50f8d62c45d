// Where seeded contacts live. Nine in ten have a place; some only say the country.

export interface Place {
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
  readonly timezone: string | null;
}

/** Country, time zone, then cities, each perhaps with its state: `City/State`. A dash stands for a country alone. */
const atlas = `
  US America/New_York New York/New York; Boston/Massachusetts; Miami/Florida; Atlanta/Georgia; Detroit/Michigan; -
  US America/Chicago Chicago/Illinois; Austin/Texas; Houston/Texas; Madison/Wisconsin; New Orleans/Louisiana
  US America/Denver Denver/Colorado; Santa Fe/New Mexico; Salt Lake City/Utah
  US America/Los_Angeles San Francisco/California; Los Angeles/California; Seattle/Washington; Portland/Oregon
  CA America/Toronto Toronto/Ontario; Ottawa/Ontario; Montréal/Québec
  CA America/Vancouver Vancouver/British Columbia; Victoria/British Columbia
  MX America/Mexico_City Ciudad de México; Puebla/Puebla; Guadalajara/Jalisco
  BR America/Sao_Paulo São Paulo/SP; Rio de Janeiro/RJ; Curitiba/PR; Belo Horizonte/MG; -
  AR America/Argentina/Buenos_Aires Buenos Aires; Córdoba/Córdoba
  CL America/Santiago Santiago; Valparaíso/Valparaíso
  CO America/Bogota Bogotá; Medellín/Antioquia
  GB Europe/London London/England; Manchester/England; Edinburgh/Scotland; Cardiff/Wales; -
  IE Europe/Dublin Dublin; Cork
  PT Europe/Lisbon Lisbon; Porto; Coimbra
  ES Europe/Madrid Madrid/Madrid; Valencia/Valencia; Bilbao/País Vasco
  FR Europe/Paris Paris/Île-de-France; Lyon/Auvergne-Rhône-Alpes; Nantes/Pays de la Loire; -
  DE Europe/Berlin Berlin/Berlin; Hamburg/Hamburg; München/Bayern; Köln/Nordrhein-Westfalen; Leipzig/Sachsen; -
  NL Europe/Amsterdam Amsterdam/Noord-Holland; Utrecht/Utrecht; Rotterdam/Zuid-Holland
  BE Europe/Brussels Brussels; Ghent
  IT Europe/Rome Milano/Lombardia; Roma/Lazio; Torino/Piemonte; Bologna/Emilia-Romagna
  CH Europe/Zurich Zürich/ZH; Genève/GE; Bern/BE
  AT Europe/Vienna Wien/Wien; Graz/Steiermark
  SE Europe/Stockholm Stockholm; Göteborg; Malmö
  NO Europe/Oslo Oslo; Bergen
  DK Europe/Copenhagen København; Aarhus
  FI Europe/Helsinki Helsinki; Tampere
  PL Europe/Warsaw Warszawa/Mazowieckie; Kraków/Małopolskie; Gdańsk/Pomorskie
  CZ Europe/Prague Praha; Brno
  RO Europe/Bucharest București; Cluj-Napoca/Cluj
  GR Europe/Athens Athens; Thessaloniki
  TR Europe/Istanbul Istanbul; Ankara; Izmir
  UA Europe/Kyiv Kyiv; Lviv
  EG Africa/Cairo Cairo; Alexandria
  NG Africa/Lagos Lagos/Lagos; Abuja; Ibadan/Oyo
  GH Africa/Accra Accra; Kumasi
  KE Africa/Nairobi Nairobi; Mombasa
  ET Africa/Addis_Ababa Addis Ababa
  ZA Africa/Johannesburg Johannesburg/Gauteng; Cape Town/Western Cape; Durban/KwaZulu-Natal
  MA Africa/Casablanca Casablanca; Rabat
  AE Asia/Dubai Dubai/Dubai; Abu Dhabi/Abu Dhabi
  IL Asia/Jerusalem Tel Aviv; Haifa
  IN Asia/Kolkata Mumbai/Maharashtra; Bengaluru/Karnataka; Delhi/Delhi; Chennai/Tamil Nadu; Pune/Maharashtra; -
  PK Asia/Karachi Karachi/Sindh; Lahore/Punjab
  BD Asia/Dhaka Dhaka
  TH Asia/Bangkok Bangkok; Chiang Mai
  VN Asia/Ho_Chi_Minh Hanoi; Da Nang
  SG Asia/Singapore Singapore
  ID Asia/Jakarta Jakarta; Bandung/West Java
  PH Asia/Manila Manila; Cebu City/Cebu
  KR Asia/Seoul Seoul; Busan
  JP Asia/Tokyo Tokyo/Tokyo; Osaka/Osaka; Kyoto/Kyoto; Sapporo/Hokkaido; -
  AU Australia/Sydney Sydney/New South Wales; Melbourne/Victoria; Canberra/ACT
  AU Australia/Perth Perth/Western Australia
  NZ Pacific/Auckland Auckland; Wellington; Christchurch/Canterbury
`;

export const places: readonly Place[] = atlas
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [country = '', timezone = '', ...rest] = line.trim().split(' ');
    return rest
      .join(' ')
      .split('; ')
      .map((text) => {
        const [city = '', state = null] = text.split('/');
        return { country, timezone, city: city === '-' ? null : city, state };
      });
  });
