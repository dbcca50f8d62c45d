// The names, companies, job titles and cities of fictional people. The first entries of a list are the most common ones.

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
  CO America/Bogota Bogotá; Medellín/Antioquia
  GB Europe/London London/England; Manchester/England; Edinburgh/Scotland; Cardiff/Wales; -
  PT Europe/Lisbon Lisbon; Porto; Coimbra
  ES Europe/Madrid Madrid/Madrid; Valencia/Valencia; Bilbao/País Vasco
  FR Europe/Paris Paris/Île-de-France; Lyon/Auvergne-Rhône-Alpes; Nantes/Pays de la Loire; -
  DE Europe/Berlin Berlin/Berlin; Hamburg/Hamburg; München/Bayern; Köln/Nordrhein-Westfalen; Leipzig/Sachsen; -
  NL Europe/Amsterdam Amsterdam/Noord-Holland; Utrecht/Utrecht; Rotterdam/Zuid-Holland
  IT Europe/Rome Milano/Lombardia; Roma/Lazio; Torino/Piemonte; Bologna/Emilia-Romagna
  CH Europe/Zurich Zürich/ZH; Genève/GE; Bern/BE
  SE Europe/Stockholm Stockholm; Göteborg; Malmö
  DK Europe/Copenhagen København; Aarhus
  PL Europe/Warsaw Warszawa/Mazowieckie; Kraków/Małopolskie; Gdańsk/Pomorskie
  TR Europe/Istanbul Istanbul; Ankara; Izmir
  EG Africa/Cairo Cairo; Alexandria
  NG Africa/Lagos Lagos/Lagos; Abuja; Ibadan/Oyo
  KE Africa/Nairobi Nairobi; Mombasa
  ZA Africa/Johannesburg Johannesburg/Gauteng; Cape Town/Western Cape; Durban/KwaZulu-Natal
  AE Asia/Dubai Dubai/Dubai; Abu Dhabi/Abu Dhabi
  IN Asia/Kolkata Mumbai/Maharashtra; Bengaluru/Karnataka; Delhi/Delhi; Chennai/Tamil Nadu; Pune/Maharashtra; -
  VN Asia/Ho_Chi_Minh Hanoi; Da Nang
  SG Asia/Singapore Singapore
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
