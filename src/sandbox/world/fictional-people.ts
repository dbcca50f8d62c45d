// Fictional people and the words they are made of: every address ends in example.test, every number is reserved for fiction.
import type { TrackingResource } from '#schemas/resources/invitee.ts';
import type { Random } from '#src/sandbox/random.ts';

export type Person = ReturnType<typeof makePerson>;

export function makePerson(random: Random) {
  const id = random.uuid();
  const firstName = random.pick(firstNames);
  const lastName = random.pick(lastNames);
  return {
    id,
    firstName,
    lastName,
    name: `${firstName} ${lastName}`,
    // Two people may share a name, but not an address.
    email: `${mailbox(firstName)}.${mailbox(lastName)}.${id.slice(0, 6)}@example.test`,
    phone: `+1202555${String(random.int(100, 199)).padStart(4, '0')}`,
    company: random.pick(companies),
    jobTitle: random.pick(jobTitles),
    residence: random.pick(cities),
  };
}

const letters: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', ı: 'i', ß: 'ss', æ: 'ae' };

/** A name as the part of an e-mail address: lower-case, letters a to z only. */
export function mailbox(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[øłıßæ]/g, (letter) => letters[letter] ?? '')
    .replaceAll(/[^a-z]/g, '');
}

/** The tags of a campaign, or none. */
export function makeTracking(random: Random): TrackingResource {
  const campaign = random.pick([null, 'spring-launch', 'newsletter', 'partners']);
  return trackingWith({
    utm_campaign: campaign,
    utm_source: campaign === null ? null : random.pick(['newsletter', 'search', 'social']),
    utm_medium: campaign === null ? null : 'email',
  });
}

type Tags = { readonly [Tag in keyof TrackingResource]?: string | null | undefined };

/** All six tags, null where none is given. */
export function trackingWith(tags: Tags = {}): TrackingResource {
  return {
    utm_campaign: tags.utm_campaign ?? null,
    utm_source: tags.utm_source ?? null,
    utm_medium: tags.utm_medium ?? null,
    utm_content: tags.utm_content ?? null,
    utm_term: tags.utm_term ?? null,
    salesforce_uuid: tags.salesforce_uuid ?? null,
  };
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const phrases = (text: string): readonly string[] => text.trim().split(/\s*;\s*/);

export const firstNames = words(`
  Maria Ana Mohammed Li Anna Sofia Juan Fatima Ahmed Yuki Priya Wei Lena Carlos Amara Emma Noah Olivia Liam Mei Hana Luca
  Ines Jamal Keiko Mateo Nadia Olu Rosa Søren Uma Ada Björn Chidi Dolores Emeka Gustav Quinn Aaliyah Abebe Adaeze Agnieszka
  Aisha Akira Alejandra Aleksander Alice Amina Anders Andrei Anika Antonio Arash Arjun Astrid Ayşe Beatriz Bilal Bogdan Bruno
  Camila Catarina Cem Chantal Chen Clara Dagny Damian Daniela Deepak Delphine Diego Dimitri Ebba Eduardo Eilidh Ekaterina
  Elif Elio Elsa Enzo Esra Esther Ewa Farah Felipe Femi Finn Folke Francesca Freya Gabriela Giulia Grace Greta Habib Hamza
  Haruto Hassan Heidi Helena Henrik Hiroshi Hugo Ibrahim Idris Ilse Imani Ingrid Isabel Ivan Jacek Jana Jasper Joana Jonas
  José Julia Kai Kamala Karim Karin Katarzyna Kenji Kofi Kwame Lakshmi Lars Laszlo Leila Leonor Linh Lucía Magda Malik
  Manuel Marek Marta Mariam Matilda Maya Mikael Milan Minh Mirjam Naoko Nia Nikhil Nikola Nils Noor Oksana Omar Oskar Paloma
  Pavel Pedro Petra Pia Rafael Rahul Ravi Renata Rania Ruth Saanvi Sami Sana Santiago Sara Selma Siobhán Stefan Sunita
  Svetlana Takumi Tamar Tariq Thandiwe Théo Tomás Tove Tunde Ulrike Valentina Vera Viktor Wanjiru Willem Xavier Xin Yara
  Yasmin Youssef Yusuf Zahra Zanele Zofia Zoë
`);

export const lastNames = words(`
  García Kim Nguyen Silva Müller Smith Singh Rossi Sato Xu Chen Khan Ivanov Kowalski Martin Jansen Okafor Haddad Adeyemi
  Bergström Castro Dubois Eriksen Fischer Ito Moreau Novák O’Brien Abdi Abebe Acosta Agarwal Aguilar Ahmed Alonso Andersson
  Antonescu Araújo Asante Aydın Bakker Balogun Banerjee Barbieri Baumann Becker Bianchi Blom Bondarenko Bose Brandt Brennan
  Campbell Cardoso Carvalho Chaudhry Christensen Clark Cohen Conti Costa Cruz Dahl Danso Das Davies Delgado Desai Diallo Dias
  Dimitrov Dlamini Doğan Doyle Dvořák Eklund Ekwueme Engel Espinoza Evans Faber Farouk Fernandes Ferrari Flores Fontaine
  Fraser Friis Fujita Gallo Gashi Gebre Ghosh Gomes Gonçalves Greco Gruber Gupta Gutiérrez Haas Hakimi Halvorsen Hansen
  Hashimoto Hassan Hayes Hernández Hoang Hoffmann Holm Horvat Huang Hussain Iyer Jakobsen Jiménez Johansson Jones Joshi
  Kamau Kapoor Karlsson Kaya Keller Kelly Kimura Kovács Krause Krüger Kumar Lam Larsen Laurent Le Lefebvre Lehtinen Lewis
  Lindqvist López Lund MacLeod Mahlangu Malik Mancini Marin Martínez Mbeki Medina Mehta Mendes Meyer Molina Morales Mori Mwangi
  Nair Nakamura Navarro Ndiaye Nielsen Nkosi Nowak Ochieng Olsen Onyango Ortiz Osei Özdemir Park Patel Pavlov Pereira Petrov
  Pham Popescu Ramos Rao Reyes Ricci Rivera Roberts Rodrigues Romero Saito Salazar Sánchez Santos Schmidt Schneider Shah
  Sharma Shimizu Simić Sokolov Sørensen Soto Suzuki Svensson Takahashi Tan Tanaka Taylor Tesfaye Torres Tran Tshabalala Van
  Vargas Vasić Vega Virtanen Wagner Walker Wang Weber White Williams Wolff Wong Yadav Yamamoto Yıldız Zhang Zhou Zimmermann
`);

const stems = words(`
  Northwind Harbor Kite Fjord Orchard Copper Meridian Tessellate Alder Basalt Beacon Birch Bramble Canopy Cedar Cinder Cobalt
  Compass Coral Crane Delta Driftwood Ember Falcon Fern Flint Foxglove Garnet Granite Heron Hollow Indigo Ivory Juniper Kestrel
  Lantern Larch Lattice Lumen Magpie Maple Marlow Mosaic Nimbus Oakline Onyx Osprey Pebble Pinecrest Plover Quarry Quill Raven
  Redwood Ridge Saffron Sable Sequoia Silverleaf Skylark Slate Sparrow Summit Tamarind Thistle Timber Topaz Vela Willow Wren
`);
const trades = phrases(`
  Labs; Analytics; Health; Freight; & Partners; Studio; Energy; Foods; Robotics;
  Insurance; Consulting; Learning; Media; Capital; Systems; Travel
`);

export const companies: readonly string[] = trades.flatMap((trade) => stems.map((stem) => `${stem} ${trade}`));

const ranks = ['', 'Senior ', 'Head of ', 'VP of ', 'Junior ', 'Director of ', 'Lead ', 'Chief of '] as const;
const crafts = phrases(`
  Operations; Product Management; Data Engineering; Recruiting; Sales; Customer Success; Marketing; Finance;
  Design; Research; Procurement; Legal Affairs; Field Service; Logistics; People & Culture; Security
`);

export const jobTitles: readonly string[] = [
  ...phrases('Founder; Account Executive; Office Manager; Teacher'),
  ...ranks.flatMap((rank) => crafts.map((craft) => `${rank}${craft}`)),
];

export const notes = phrases(`
  Prefers mornings.; Met at the spring fair.; Asked for the annual plan.;
  Introduced by a colleague.; Wants to see the roadmap, then decides.; Call before writing.
`);
export const interests = ['api', 'billing', 'events', 'onboarding', 'partnership', 'pricing', 'training'] as const;
export const referrals = ['A friend', 'A podcast', 'A search', 'The spring fair', 'Your newsletter'] as const;

export interface Residence {
  readonly country: string | null;
  readonly state: string | null;
  readonly city: string | null;
  readonly timezone: string | null;
}

/** Country, time zone, then cities, each perhaps with its state: `City/State`. A dash means the country alone. */
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

export const cities: readonly Residence[] = atlas
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
