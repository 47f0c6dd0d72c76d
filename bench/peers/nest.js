import 'reflect-metadata'
import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  Post,
  Query,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common'
import { APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler'
import { getRepositoryToken, InjectRepository, TypeOrmModule } from '@nestjs/typeorm'
import { Type } from 'class-transformer'
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator'
import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm'
import { DURABLE, digest, FILE, fill, MINUTE_MS, NEVER_REACHED, tellPort, tokenOf, toPet } from './common.js'

// Written as NestJS and TypeORM are meant to be, but that the decorators are called by hand: JavaScript as it
// runs today has none. What they do when the program starts is the same.

const STATUSES = ['available', 'pending', 'sold']

/** Puts decorators on a member of a class, with the type that TypeScript would tell them. */
function member(target, name, type, ...decorators) {
  Reflect.defineMetadata('design:type', type, target.prototype, name)
  for (const decorate of decorators) decorate(target.prototype, name)
}

/** Puts decorators on a method, and on its parameters in order. */
function method(target, name, decorate, parameters) {
  Reflect.defineMetadata(
    'design:paramtypes',
    parameters.map(([type]) => type),
    target.prototype,
    name,
  )
  parameters.forEach(([, mark], index) => {
    mark(target.prototype, name, index)
  })
  decorate(target.prototype, name, Object.getOwnPropertyDescriptor(target.prototype, name))
}

class Category {}
member(Category, 'id', Number, PrimaryGeneratedColumn())
member(Category, 'name', String, Column())
Entity('category')(Category)

class ApiKey {}
member(ApiKey, 'digest', String, PrimaryColumn())
Entity('api_key')(ApiKey)

class Pet {}
member(Pet, 'id', Number, PrimaryGeneratedColumn('increment'))
member(Pet, 'name', String, Column())
member(Pet, 'categoryId', Number, Column())
member(Pet, 'status', String, Column({ type: 'varchar', nullable: true }))
Index(['status', 'id'])(Pet)
Entity('pet')(Pet)

class NewPet {}
member(NewPet, 'name', String, IsString(), Length(1, 200))
member(NewPet, 'categoryId', Number, IsInt())
member(NewPet, 'status', String, IsOptional(), IsIn(STATUSES))

class PetQuery {
  limit = 20
}
member(
  PetQuery,
  'limit',
  Number,
  Type(() => Number),
  IsInt(),
  Min(1),
  Max(100),
)
member(PetQuery, 'status', String, IsOptional(), IsIn(STATUSES))

class KeyGuard {
  constructor(keys) {
    this.keys = keys
  }

  async canActivate(context) {
    const request = context.switchToHttp().getRequest()
    const token = tokenOf(request.headers.authorization)
    request.caller = token ? digest(token) : ''
    if (await this.keys.existsBy({ digest: request.caller })) return true
    throw new UnauthorizedException()
  }
}
InjectRepository(ApiKey)(KeyGuard, undefined, 0)
Injectable()(KeyGuard)

class CallerGuard extends ThrottlerGuard {
  async getTracker({ caller }) {
    return caller
  }
}
Injectable()(CallerGuard)

class PetsController {
  constructor(pets) {
    this.pets = pets
  }

  async list({ limit, status }) {
    const found = await this.pets.find({
      where: status ? { status } : {},
      order: { id: 'DESC' },
      take: limit,
    })
    return found.map(toPet)
  }

  async create({ name, categoryId, status }) {
    return toPet(await this.pets.save(this.pets.create({ name, categoryId, status: status ?? null })))
  }
}
InjectRepository(Pet)(PetsController, undefined, 0)
method(PetsController, 'list', Get(), [[PetQuery, Query()]])
method(PetsController, 'create', Post(), [[NewPet, Body()]])
Controller('v1/pets')(PetsController)

const entities = [Category, ApiKey, Pet]

class AppModule {}
Module({
  imports: [
    ThrottlerModule.forRoot([{ ttl: MINUTE_MS, limit: NEVER_REACHED }]),
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: FILE,
      entities,
      synchronize: true,
      prepareDatabase: (database) => {
        for (const pragma of DURABLE) database.pragma(pragma)
      },
    }),
    TypeOrmModule.forFeature(entities),
  ],
  controllers: [PetsController],
  providers: [
    { provide: APP_GUARD, useClass: KeyGuard },
    { provide: APP_GUARD, useClass: CallerGuard },
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
  ],
})(AppModule)

const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: ['error'] })
const { manager } = app.get(getRepositoryToken(Pet))
const statements = []
fill((sql, values) => statements.push([sql, values]))
for (const [sql, values] of statements) await manager.query(sql, values)

await app.listen(0, '127.0.0.1')
tellPort(app.getHttpServer())
